import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { opProblems } from '../checks/compare.ts';
import { freshInputs } from '../checks/random.ts';
import { ropeReference } from '../checks/reference.ts';
import { rope } from './rope.ts';

const MAX_POSITIONS = 50;

function tablesOf(frequencies: readonly number[]): { cosines: tf.Tensor; sines: tf.Tensor } {
  const angles = Array.from({ length: MAX_POSITIONS }, (_, position) =>
    frequencies.map((frequency) => position * frequency),
  );
  return {
    cosines: tf.tensor2d(angles.map((row) => row.map(Math.cos))),
    sines: tf.tensor2d(angles.map((row) => row.map(Math.sin))),
  };
}

export function ropeSuite(): void {
  describe('rope', () => {
    for (const [rows, heads, headDim] of [
      [1, 1, 2],
      [13, 3, 6],
      [65, 2, 16],
    ] as const) {
      test(`${rows} rows, ${heads} heads of ${headDim}`, async () => {
        const random = freshInputs();
        const frequencies = Array.from({ length: headDim / 2 }, (_, i) => 100 ** ((-2 * i) / headDim));
        const positions = random.ints(rows, MAX_POSITIONS);
        const positionsTensor = tf.tensor1d(positions, 'int32');
        const tables = tablesOf(frequencies);
        expect(
          await opProblems(random, {
            what: 'rope',
            inputs: [
              {
                name: 'x',
                shape: [rows, heads * headDim],
                values: random.floats(rows * heads * headDim),
              },
            ],
            reference: (x = new Float64Array()) => [ropeReference(x, positions, frequencies)],
            op: (x) => [rope(x as tf.Tensor, positionsTensor, tables)],
            valueTolerance: 1e-6,
            gradientTolerance: 1e-6,
          }),
        ).toEqual([]);
      });
    }

    test('a quarter turn, by hand: (1, 2) becomes (−2, 1)', async () => {
      const turned = rope(tf.tensor2d([[1, 2]]), tf.tensor1d([1], 'int32'), {
        cosines: tf.tensor2d([[1], [0]]),
        sines: tf.tensor2d([[0], [1]]),
      });
      expect([...(await turned.data())]).toEqual([-2, 1]);
    });
  });
}
