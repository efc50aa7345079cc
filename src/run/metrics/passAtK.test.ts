import { describe, expect, it } from 'vitest';
import { wilson95 } from '@rl-playground/base/intervals';
import { passAtK, passCurve } from './passAtK.ts';

/** All sets of `size` of the numbers below `count`. */
function* choices(count: number, size: number, from = 0): Generator<number[]> {
  if (size === 0) yield [];
  else
    for (let first = from; first < count; first++)
      for (const rest of choices(count, size - 1, first + 1)) yield [first, ...rest];
}

describe('passAtK', () => {
  it('is the share of all choices of k answers that hold a right one', () => {
    for (const draws of [1, 2, 5, 8])
      for (let correct = 0; correct <= draws; correct++)
        for (let k = 1; k <= draws; k++) {
          const chosen = [...choices(draws, k)];
          const right = chosen.filter((choice) => choice.some((answer) => answer < correct));
          expect(passAtK(draws, correct, k), `${correct} of ${draws}, k ${k}`).toBeCloseTo(
            right.length / chosen.length,
            12,
          );
        }
  });

  it('is without bias: over all outcomes of its draws its mean is 1 − (1 − p)^k', () => {
    const [draws, p] = [6, 0.3];
    for (const k of [1, 2, 4, 6]) {
      let expected = 0;
      for (let outcome = 0; outcome < 2 ** draws; outcome++) {
        const correct = Array.from({ length: draws }, (_, i) => (outcome >> i) & 1).filter(Boolean).length;
        expected += p ** correct * (1 - p) ** (draws - correct) * passAtK(draws, correct, k);
      }
      expect(expected).toBeCloseTo(1 - (1 - p) ** k, 12);
    }
  });

  it('asks for as many draws as answers', () => {
    expect(() => passAtK(4, 1, 5)).toThrow(
      'pass@5 of 1 right answers needs more than the 4 that were drawn.',
    );
  });
});

describe('passCurve', () => {
  it('runs from the share of right draws to that of problems with a right one', () => {
    // 3, 0, 1 and 4 right of 4: pass@2 of 1 of 4 is 1 − C(3, 2)/C(4, 2) = 1/2.
    const samples = [3, 0, 1, 4].map((correctDraws) => ({ correctDraws }));
    const curve = passCurve({ passAtK: { k: 4 }, samples });
    expect(curve.map(({ k }) => k)).toEqual([1, 2, 3, 4]);
    expect(curve[0]?.accuracy).toBeCloseTo(8 / 16, 12);
    expect(curve[1]?.accuracy).toBeCloseTo((1 + 0 + 0.5 + 1) / 4, 12);
    expect(curve[3]?.accuracy).toBeCloseTo(3 / 4, 12);
    expect(curve[3]?.interval?.low).toBeCloseTo(wilson95(3 / 4, 4)?.low ?? NaN, 12);
  });

  it('is nothing without draws', () => {
    expect(passCurve({ samples: [{}] })).toEqual([]);
    expect(passCurve({ passAtK: { k: 4 }, samples: [] })).toEqual([]);
  });
});
