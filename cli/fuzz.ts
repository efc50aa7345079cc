/**
 * `npm run fuzz [-- --count N] [--seed N] [--length N] [--only TEXT]`: every grader against N random and hostile texts and some of
 * the given length; prints for each how many threw and the longest that one took. Exit code 1 where anything was wrong.
 */
import { parseArgs } from 'node:util';
import { fuzz, fuzzTargets, LONGEST } from '../src/testing/fuzzGraders.ts';
import { HUGE } from '../src/testing/hostileText.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '0' },
    length: { type: 'string', default: `${HUGE}` },
    only: { type: 'string', default: '' },
  },
});
const [count, seed, length] = [Number(values.count), Number(values.seed), Number(values.length)];
if (![count, seed, length].every(Number.isSafeInteger) || count < 1 || length < 20) {
  console.error(
    `--count is ${values.count}, --seed is ${values.seed} and --length is ${values.length}; whole numbers are needed, the count at least 1 and the length at least 20.`,
  );
  process.exit(2);
}

const targets = fuzzTargets().filter(({ name }) => name.includes(values.only));
if (targets.length === 0) {
  console.error(`--only is ${values.only}; no grader's name has that. Leave it out to see all names.`);
  process.exit(2);
}
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
if (broken > 0) process.exitCode = 1;
