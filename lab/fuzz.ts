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

const row = (
  width: number,
  name: string,
  cells: readonly (readonly [text: string, width: number])[],
): string => [name.padEnd(width), ...cells.map(([text, wide]) => text.padStart(wide))].join(' ');

/** One line for each target, and its faults. Returns how many have any. */
function fuzzGraders({ count = TEXTS, seed, length, only }: Options): number {
  const targets = named(fuzzTargets(), only);
  const width = Math.max(...targets.map(({ name }) => name.length));
  let broken = 0;
  printLine(
    row(width, 'grader', [
      ['texts', 8],
      ['throws', 7],
      ['worst ms', 9],
      ['seconds', 8],
    ]),
  );
  for (const target of targets) {
    const start = performance.now();
    const { texts, throws, faults, worst, worstText } = fuzz(target, count, seed, length);
    const seconds = (performance.now() - start) / 1000;
    printLine(
      row(width, target.name, [
        [`${texts}`, 8],
        [`${throws}`, 7],
        [worst.toFixed(1), 9],
        [seconds.toFixed(1), 8],
      ]),
    );
    if (worst > LONGEST / 2) printLine(`  slowest: ${worstText}`);
    for (const fault of faults) printLine(`  ${fault}`);
    if (faults.length > 0) broken++;
  }
  printLine(
    broken === 0
      ? `No throws, no unsound scores, nothing over ${LONGEST} ms.`
      : `${broken} of ${targets.length} graders have faults.`,
  );
  return broken;
}

async function fuzzParsers({ count = INPUTS, seed, only, first }: Options): Promise<number> {
  const targets: readonly ParserTarget[] = named(await parserTargets(), only);
  const counts = sharesOf(targets, count);
  const width = Math.max(...targets.map(({ name }) => name.length));
  let broken = 0;
  printLine(
    row(width, 'reader', [
      ['inputs', 8],
      ['used', 8],
      ['faults', 7],
      ['worst ms', 9],
      ['seconds', 8],
    ]),
  );
  for (const [i, target] of targets.entries()) {
    const start = performance.now();
    const { inputs, used, faults, worst, worstIndex } = await fuzzParser(target, counts[i] ?? 0, seed, first);
    const seconds = (performance.now() - start) / 1000;
    printLine(
      row(width, target.name, [
        [`${inputs}`, 8],
        [`${used}`, 8],
        [`${faults.length}`, 7],
        [worst.toFixed(1), 9],
        [seconds.toFixed(1), 8],
      ]),
    );
    if (worst > LONGEST_PARSE / 2) printLine(`  slowest: input ${worstIndex}`);
    for (const fault of faults) printLine(`  ${fault}`);
    if (faults.length > 0) broken++;
  }
  printLine(
    broken === 0
      ? `Nothing thrown but refusals, nothing over ${LONGEST_PARSE} ms or ${MOST_MEMORY / 2 ** 20} MB.`
      : `${broken} of ${targets.length} readers have faults.`,
  );
  return broken;
}

export default simpleProgram<Options>(line, async (options) => {
  const broken = options.parsers === true ? await fuzzParsers(options) : fuzzGraders(options);
  return broken > 0 ? 1 : 0;
});
