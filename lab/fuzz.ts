/**
 * `npm run lab -- fuzz`: every grader against random and hostile texts, or every reader of files against hostile files. Exit codes: 0 sound, 1
 * something was wrong, 2 bad arguments.
 */
import { fuzz, fuzzTargets, LONGEST } from '@rl-playground/tasks/testing/fuzzGraders';
import {
  fuzzParser,
  LONGEST_PARSE,
  MOST_MEMORY,
  sharesOf,
  type ParserTarget,
} from './testing/fuzzParsers/harness.ts';
import { parserTargets } from './testing/fuzzParsers/targets.ts';
import { HUGE } from '@rl-playground/base/testing/hostileText';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';

interface Options {
  readonly parsers?: true;
  readonly count?: number;
  readonly seed: number;
  readonly length: number;
  readonly only: string;
  readonly first: number;
}

const TEXTS = 100_000;
const INPUTS = 1_000_000;

const line = () =>
  command(
    'npm run lab -- fuzz',
    'Gives every grader random texts and some of a great length, or with --parsers every reader of files hostile files, and prints for each how many threw and the longest that one took. Ends with 1 where anything was wrong.',
    '--count 1000 --only gsm8k',
  )
    .option(
      '--parsers',
      'readers of what comes from outside: models, zips, settings, links, rows, runs, hand-ins, messages of machines',
    )
    .option(
      '--count <number>',
      `random texts for each grader (default: ${TEXTS}), or files for all readers together (default: ${INPUTS})`,
      wholeNumber(1),
    )
    .option('--seed <number>', 'decides the texts', wholeNumber(0), 0)
    .option('--first <number>', 'number of the first file, to repeat one that was named', wholeNumber(0), 0)
    .option('--length <number>', 'characters of the long texts', wholeNumber(20), HUGE)
    .option('--only <text>', 'graders or readers whose name has this text', '');

function named<Target extends { readonly name: string }>(
  targets: readonly Target[],
  only: string,
): readonly Target[] {
  const found = targets.filter(({ name }) => name.includes(only));
  if (found.length > 0) return found;
  throw new BadInput(`--only is ${only}; no name has that: ${targets.map(({ name }) => name).join(', ')}.`);
}

interface Fuzzed {
  readonly counts: readonly [number, number];
  readonly faults: readonly string[];
  /** Milliseconds. */
  readonly worst: number;
  readonly slowest: string;
}

/** Prints a line for each target, and its faults. Returns how many have any. */
async function printed<Target extends { readonly name: string }>(
  titles: readonly [kind: string, first: string, second: string],
  targets: readonly Target[],
  longest: number,
  sound: string,
  work: (target: Target, place: number) => Fuzzed | Promise<Fuzzed>,
): Promise<number> {
  const width = Math.max(...targets.map(({ name }) => name.length));
  const row = (name: string, ...cells: readonly string[]): string =>
    [name.padEnd(width), ...cells.map((cell) => cell.padStart(9))].join(' ');
  const [kind, ...counted] = titles;
  printLine(row(kind, ...counted, 'faults', 'worst ms', 'seconds'));
  let broken = 0;
  for (const [place, target] of targets.entries()) {
    const start = performance.now();
    const { counts, faults, worst, slowest } = await work(target, place);
    const seconds = (performance.now() - start) / 1000;
    const figures = [...counts, faults.length].map(String);
    printLine(row(target.name, ...figures, worst.toFixed(1), seconds.toFixed(1)));
    if (worst > longest / 2) printLine(`  slowest: ${slowest}`);
    for (const fault of faults) printLine(`  ${fault}`);
    if (faults.length > 0) broken++;
  }
  printLine(broken === 0 ? sound : `${broken} of ${targets.length} ${kind}s have faults.`);
  return broken;
}

function fuzzGraders({ count = TEXTS, seed, length, only }: Options): Promise<number> {
  const sound = `No throws, no unsound scores, nothing over ${LONGEST} ms.`;
  const titles = ['grader', 'texts', 'throws'] as const;
  return printed(titles, named(fuzzTargets(), only), LONGEST, sound, (target) => {
    const { texts, throws, worstText, ...result } = fuzz(target, count, seed, length);
    return { ...result, counts: [texts, throws], slowest: worstText };
  });
}

async function fuzzParsers({ count = INPUTS, seed, only, first }: Options): Promise<number> {
  const targets: readonly ParserTarget[] = named(await parserTargets(), only);
  const shares = sharesOf(targets, count);
  const sound = `Nothing thrown but refusals, nothing over ${LONGEST_PARSE} ms or ${MOST_MEMORY / 2 ** 20} MB.`;
  return printed(['reader', 'inputs', 'used'], targets, LONGEST_PARSE, sound, async (target, place) => {
    const found = await fuzzParser(target, shares[place] ?? 0, seed, first);
    return { ...found, counts: [found.inputs, found.used], slowest: `input ${found.worstIndex}` };
  });
}

export default simpleProgram<Options>(line, async (options) => {
  const broken = await (options.parsers === true ? fuzzParsers : fuzzGraders)(options);
  return broken > 0 ? 1 : 0;
});
