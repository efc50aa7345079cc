/** `npm run fuzz`: every grader against random and hostile texts. Exit codes: 0 sound, 1 something was wrong, 2 bad arguments. */
import { fuzz, fuzzTargets, LONGEST } from '../src/testing/fuzzGraders.ts';
import { HUGE } from '../src/testing/hostileText.ts';
import { BadInput, command, simpleProgram, wholeNumber } from './program.ts';

interface Options {
  readonly count: number;
  readonly seed: number;
  readonly length: number;
  readonly only: string;
}

const line = () =>
  command(
    'npm run fuzz --',
    'Gives every grader random texts and some of a great length, and prints for each how many threw and the longest that one took. Ends with 1 where anything was wrong.',
    '--count 1000 --only gsm8k',
  )
    .option('--count <number>', 'random texts for each grader', wholeNumber(1), 100_000)
    .option('--seed <number>', 'decides the texts', wholeNumber(0), 0)
    .option('--length <number>', 'characters of the long texts', wholeNumber(20), HUGE)
    .option('--only <text>', 'graders whose name has this text', '');

export default simpleProgram<Options>(line, ({ count, seed, length, only }) => {
  const targets = fuzzTargets().filter(({ name }) => name.includes(only));
  if (targets.length === 0)
    throw new BadInput(`--only is ${only}; no grader's name has that. Leave it out to see all names.`);
  const width = Math.max(...targets.map(({ name }) => name.length));
  let broken = 0;
  console.log(`${'grader'.padEnd(width)}   texts  throws  worst ms  seconds`);
  for (const target of targets) {
    const start = performance.now();
    const { texts, throws, faults, worst, worstText } = fuzz(target, count, seed, length);
    const seconds = (performance.now() - start) / 1000;
    console.log(
      `${target.name.padEnd(width)} ${`${texts}`.padStart(7)} ${`${throws}`.padStart(7)} ${worst.toFixed(1).padStart(9)} ${seconds.toFixed(1).padStart(8)}`,
    );
    if (worst > LONGEST / 2) console.log(`  slowest: ${worstText}`);
    if (faults.length === 0) continue;
    broken++;
    for (const fault of faults) console.log(`  ${fault}`);
  }
  console.log(
    broken === 0
      ? `No throws, no unsound scores, nothing over ${LONGEST} ms.`
      : `${broken} of ${targets.length} graders have faults.`,
  );
  return broken > 0 ? 1 : 0;
});
