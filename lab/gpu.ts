/**
 * `npm run lab -- gpu`: measures what a machine with a GPU can show, within a budget of time. Exit codes: 0 done, 1 a part failed or
 * the command was ended, 2 bad arguments.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Option } from 'commander';
import { BadInput } from '@rl-playground/base/errors';
import { printLine } from '@rl-playground/base/print';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { ensureBuilt } from '../src/cli/build.ts';
import { endOfProgram } from '../src/cli/interruption.ts';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { repository } from '../src/cli/tools.ts';
import { runParts, USUAL_SECONDS, type Part } from './gpuMachine/budget.ts';
import { allParts } from './gpuMachine/parts.ts';
import { lacking, lookAround, PAGES } from './gpuMachine/place.ts';
import { isFailure, readRows, rowLine, rowsTable, type WrittenRow } from './gpuMachine/rows.ts';
import type { Setup } from './gpuMachine/setup.ts';

/** A software adapter takes its time also for what is small. */
const REHEARSAL_SECONDS = 1800;

interface Options {
  readonly seconds?: number;
  readonly part?: readonly string[];
  readonly list?: true;
  readonly model?: string;
  readonly python?: string;
  readonly without?: string;
  readonly rehearse?: true;
  readonly out: string;
  readonly table?: string;
}

const line = () =>
  command(
    'npm run lab -- gpu',
    'Measures everything that only a GPU can show, the most wanted first, within a budget of time. Each row is written at once; nothing is installed or fetched.',
    '--seconds 420 --without tfjs,wasm',
  )
    .option(
      '--seconds <number>',
      `the budget (${USUAL_SECONDS}, in a rehearsal ${REHEARSAL_SECONDS})`,
      wholeNumber(1),
    )
    .addOption(
      new Option(
        '--part <name>',
        'this part alone, behind adapter, into the same file; may be repeated',
      ).argParser((name: string, before: readonly string[] | undefined) => [...(before ?? []), name]),
    )
    .option('--list', 'name the parts and their limits, and end')
    .option('--model <path>', 'a real model of 135M parameters in place of random weights')
    .option(
      '--python <path>',
      'a Python with torch, transformers and peft, for the peers of bench and of GRPO',
    )
    .option('--without <names>', 'peers of bench that are left out, parted by commas')
    .option('--rehearse', 'everything small, on a software adapter')
    .option('--out <file>', 'where the rows go, a line of JSON each', join(repository, 'runs/gpu.jsonl'))
    .option('--table <file>', 'print the table of a file of rows, and end');

/** The chosen parts, behind the one that finds the adapter. @throws BadInput */
export function chosenParts(all: readonly Part[], names: readonly string[] | undefined): readonly Part[] {
  const unknown = names?.find((name) => all.every((part) => part.name !== name));
  if (unknown !== undefined)
    throw new BadInput(`There is no part ${unknown}; there are ${all.map(({ name }) => name).join(', ')}.`);
  return names === undefined ? all : all.filter(({ name }, i) => i === 0 || names.includes(name));
}

export default simpleProgram<Options>(line, async (options) => {
  const { part, list, model, python, without, rehearse = false, out, table } = options;
  if (table !== undefined) {
    printLine(rowsTable(readRows(readFileSync(fromCaller(table), 'utf8'))));
    return 0;
  }
  const setup: Setup = {
    rehearse,
    model: model === undefined ? null : fromCaller(model),
    python: python ?? null,
    without: without ?? null,
    place: lookAround(python ?? null),
    adapter: null,
  };
  const parts = chosenParts(allParts(setup), part);
  if (list) {
    for (const { name, seconds: limit, purpose } of parts)
      printLine(`${name.padEnd(8)} ${limit} s  ${purpose}`);
    return 0;
  }
  const file = fromCaller(out);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '', { flag: part === undefined ? 'w' : 'a' });
  for (const sentence of lacking(setup.place)) printLine(sentence);
  // Inside a part they would be ended half-way, and begun again in the next one.
  if (setup.place.browser !== null) for (const build of PAGES) await ensureBuilt(undefined, build);
  const rows: WrittenRow[] = [];
  const stop = endOfProgram();
  await runParts(parts, {
    seconds: options.seconds ?? (rehearse ? REHEARSAL_SECONDS : USUAL_SECONDS),
    stop,
    write(row) {
      rows.push(row);
      appendFileSync(file, `${JSON.stringify(row)}\n`);
      printLine(rowLine(row));
    },
  });
  printLine(`\n${rowsTable(rows)}\n\n${rows.length} rows are in ${file}.`);
  return stop.aborted || rows.some(isFailure) ? 1 : 0;
});
