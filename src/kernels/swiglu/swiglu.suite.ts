import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference, opProblems } from '../checks/compare.ts';
import { freshInputs } from '../checks/random.ts';
import { swigluReference } from '../checks/reference.ts';
import { swiglu } from './swiglu.ts';

export function swigluSuite(): void {
  describe('swiglu', () => {
    for (const [rows, width] of [
      [1, 1],
      [7, 33],
    ] as const) {
      test(`${rows} x ${width}`, async () => {
        const random = freshInputs();
        const size = rows * width;
        expect(
          await opProblems(random, {
            what: 'swiglu',
            inputs: [
              { name: 'gate', shape: [rows, width], values: random.floats(size, 3) },
              { name: 'up', shape: [rows, width], values: random.floats(size) },
            ],
            reference: (gate = new Float64Array(), up = new Float64Array()) => [swigluReference(gate, up)],
            op: (gate, up) => [swiglu(gate as tf.Tensor, up as tf.Tensor)],
            valueTolerance: 1e-6,
            gradientTolerance: 1e-5,
          }),
        ).toEqual([]);
      });
    }

    test('more items than one side of a WebGPU grid holds workgroups for', async () => {
      const random = freshInputs();
      const size = 65_535 * 64 + 65;
      const part = random.floats(1000);
      const gate = Float32Array.from({ length: size }, (_, i) => part[i % 1000] ?? NaN);
      const expected = swigluReference(Float64Array.from(gate), Float64Array.from(gate));
      const y = swiglu(tf.tensor2d(gate, [1, size]), tf.tensor2d(gate, [1, size]));
      expect(await difference('swiglu', y, expected, 1e-6, random.seed)).toBeNull();
    });

    test('gates of ±1000 give 0 and 1000, with finite gradients', async () => {
      const gate = tf.tensor2d([[-1000, 1000]]);
      const up = tf.onesLike(gate);
      expect([...(await swiglu(gate, up).data())].map((y) => y + 0)).toEqual([0, 1000]);
      const [dgate, dup] = tf.grads((...xs: tf.Tensor[]) => swiglu(xs[0] as tf.Tensor, xs[1] as tf.Tensor))([
        gate,
        up,
      ]);
      expect([...((await dgate?.data()) ?? [])].map((y) => y + 0)).toEqual([0, 1]);
      expect([...((await dup?.data()) ?? [])].map((y) => y + 0)).toEqual([0, 1000]);
    });
  });
}
