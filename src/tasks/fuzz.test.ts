import { describe, expect, it } from 'vitest';
import { faultsOfRepetitions, fuzz, fuzzTargets } from './testing/fuzzGraders.ts';
import { hostileText } from '@rl-playground/base/testing/hostileText';
import { drawsFor } from '@rl-playground/base/random';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { TODAY } from '@rl-playground/base/testing/today';

/** Texts for each grader, others every day: `npm run lab -- fuzz --seed N` repeats those of a day, and runs more. */
const COUNT = everyProof ? 300 : 40;
/** Each grader gets every third of the repeated pieces, another third each day; graders next to each other get different thirds. */
const STRIDE = everyProof ? 1 : 3;
const piecesOf =
  (target: number) =>
  (place: number): boolean =>
    (place + target + TODAY) % STRIDE === 0;
/** Characters of repetitions, half and twice as many; those of the command are longer. */
const LENGTH = 2000;
/** Milliseconds of computing, a hundred times what the command allows: what is finite and hopeless. What takes more than linear time is told by its growth. */
const LONGEST = 5000;

describe('hostile texts', () => {
  it('are short, long and huge, right and wrong', () => {
    const texts = Array.from({ length: 5000 }, (_, i) => hostileText(drawsFor(9, i), 'right'));
    expect(Math.max(...texts.map(({ length }) => length))).toBeGreaterThan(20_000);
    expect(texts.filter((text) => text === 'right').length).toBeGreaterThan(100);
    expect(new Set(texts).size).toBeGreaterThan(3500);
  });

  it('that break a grader are found, drawn and repeated', () => {
    const broken = {
      name: 'broken',
      answers: ['1'],
      run: (text: string) => (BigInt(text.slice(0, 9)) < 0n ? 'negative' : null),
    };
    const { throws, faults } = fuzz(broken, 200, 1);
    expect(throws).toBeGreaterThan(50);
    expect(faults[0]).toMatch(/throws SyntaxError/);
    expect(faultsOfRepetitions(broken, 100)[0]).toMatch(/throws SyntaxError/);
  });
});

describe(`graders, seed ${TODAY}`, () => {
  const targets = fuzzTargets().map((target, i) => ({ name: target.name, target, chosen: piecesOf(i) }));

  it.each(targets)('$name withstands them', ({ target }) => {
    expect(fuzz(target, COUNT, TODAY, LENGTH, LONGEST, () => false).faults).toEqual([]);
  });

  it.each(targets)('$name withstands repetitions, in time linear in their length', ({ target, chosen }) => {
    expect(faultsOfRepetitions(target, LENGTH / 2, LONGEST, chosen)).toEqual([]);
  });
});
