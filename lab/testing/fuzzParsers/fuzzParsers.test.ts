import { describe, expect, it } from 'vitest';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { TODAY } from '@rl-playground/base/testing/today';
import { fuzzParser, sharesOf } from './harness.ts';
import { parserTargets } from './targets.ts';

/** Hostile files of all formats together, others every day: `npm run lab -- fuzz --parsers --seed N` repeats those of a day, and makes a million. */
const COUNT = everyProof ? 20_000 : 3000;
/** Milliseconds of computing, sixty times what the command allows: what is finite and hopeless. */
const LONGEST = 60_000;

const targets = await parserTargets();
const counts = sharesOf(targets, COUNT);

describe(`readers of files, seed ${TODAY}`, () => {
  it.each(targets.map((target, i) => ({ target, name: target.name, count: counts[i] ?? 0 })))(
    '$name withstands $count hostile ones',
    async ({ target, count }) => {
      expect((await fuzzParser(target, count, TODAY, 0, LONGEST)).faults).toEqual([]);
    },
  );

  it('that throw, or take long, are found', async () => {
    const share = 1;
    const make = (draw: () => number): number => draw();
    const throwing = { name: 'throwing', share, make, read: () => Promise.reject(new TypeError('no')) };
    expect((await fuzzParser(throwing, 3, 1)).faults[0]).toMatch(
      /throwing, seed 1, input 0: throws TypeError: no/,
    );
    const time = { now: 0, busy: 0 };
    const read = (): boolean => {
      time.now += 5000;
      time.busy += 3000;
      return true;
    };
    const slow = { name: 'slow', share, make, read };
    const clocks = { now: () => time.now, busy: () => time.busy };
    expect((await fuzzParser(slow, 1, 1, 0, 2000, clocks)).faults).toEqual([
      'slow, seed 1, input 0: takes 3000 ms',
    ]);
    // It waited for the machine alone.
    expect((await fuzzParser(slow, 1, 1, 0, 4000, clocks)).faults).toEqual([]);
  });
});
