import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { bitDifference, difference, opProblems } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { gegluReference, swigluReference } from '../testing/reference.ts';
import { gatedUnit, gatedUnitGradient, type Gate } from './gatedUnit.ts';

/** Rows gate | up of 2 · `width`. */
function reference(gateUp: Float64Array, width: number, unit: Gate): Float64Array {
  const gate = gateUp.filter((_, i) => i % (2 * width) < width);
  const up = gateUp.filter((_, i) => i % (2 * width) >= width);
  return unit === 'gelu' ? gegluReference(gate, up) : swigluReference(gate, up);
}

export function gatedUnitSuite(): void {
  describe('gatedUnit', () => {
    for (const [rows, width, gate] of [
      [1, 1, 'silu'],
      [7, 33, 'silu'],
      [3, 176, 'silu'],
      [65, 6, 'silu'],
      [7, 33, 'gelu'],
      [3, 176, 'gelu'],
    ] as const) {
      test(`${gate}, ${rows} x ${width}`, async () => {
        const random = freshInputs();
        const values = random.floats(rows * 2 * width, 3);
        expect(
          await opProblems(random, {
            what: 'gatedUnit',
            inputs: [{ name: 'gateUp', shape: [rows, 2 * width], values }],
            reference: (gateUp = new Float64Array()) => [reference(gateUp, width, gate)],
            op: (gateUp) => [gatedUnit(gateUp as tf.Tensor, gate)],
            valueTolerance: 1e-6,
            gradientTolerance: 1e-5,
          }),
        ).toEqual([]);
      });
    }

    test('more items than one side of a WebGPU grid holds workgroups for', async ({ skip }) => {
      skip(tf.getBackend() !== 'webgpu', 'other backends have no grid');
      const random = freshInputs();
      const width = 65_535 * 64 + 65;
      const part = random.floats(1009);
      const gateUp = Float32Array.from({ length: 2 * width }, (_, i) => part[i % 1009] ?? NaN);
      const exact = new Float64Array(gateUp);
      const expected = swigluReference(exact.subarray(0, width), exact.subarray(width));
      const y = gatedUnit(tf.tensor2d(gateUp, [1, 2 * width]));
      expect(await difference('gatedUnit', y, expected, 1e-6, random.seed)).toBeNull();
    });

    test('a row is the same to the bit alone and among 301, forward and backward', async () => {
      const random = freshInputs();
      const gateUp = tf.tensor2d(random.floats(301 * 118, 2), [301, 118]);
      const dy = tf.tensor2d(random.floats(301 * 59), [301, 59]);
      const row = (x: tf.Tensor2D): tf.Tensor2D => tf.slice(x, [299, 0], [1, -1]);
      const among = row(gatedUnit(gateUp));
      expect(await bitDifference('forward', gatedUnit(row(gateUp)), among, random.seed)).toBeNull();
      const gradient = row(gatedUnitGradient(gateUp, dy));
      const alone = gatedUnitGradient(row(gateUp), row(dy));
      expect(await bitDifference('backward', alone, gradient, random.seed)).toBeNull();
    });

    test.each(['silu', 'gelu'] as const)('%s of ±1000 is 0 and 1000, with finite gradients', async (gate) => {
      const gateUp = tf.tensor2d([
        [-1000, 1],
        [1000, 1],
      ]);
      expect([...(await gatedUnit(gateUp, gate).data())].map((y) => y + 0)).toEqual([0, 1000]);
      const gradient = gatedUnitGradient(gateUp, tf.ones([2, 1]), gate);
      expect([...(await gradient.data())].map((y) => y + 0)).toEqual([0, 0, 1, 1000]);
    });
  });
}
