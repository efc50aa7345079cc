import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { gemm } from '../gemm/gemm.ts';
import { swiglu } from '../swiglu/swiglu.ts';
import { difference } from './compare.ts';
import { freshInputs } from './random.ts';

/** The way round tfjs' lost tape (see `nestedGradients.test.ts`): the model walks back block by block. */
export function blockGradientsSuite(): void {
  describe('gradients of blocks', () => {
    test('two blocks walked back by tf.grads(block)(inputs, dy) equal one tape over both', async () => {
      const random = freshInputs();
      const matrix = (rows: number, columns: number) =>
        tf.tensor2d(random.floats(rows * columns), [rows, columns]);
      const [x, w1, w2, dy] = [matrix(5, 6), matrix(6, 7), matrix(6, 7), matrix(5, 6)] as const;
      const block = (input: tf.Tensor, weight: tf.Tensor): tf.Tensor => {
        const wide = gemm(input, weight, 'nn');
        return gemm(swiglu(wide, wide), weight, 'nt');
      };
      const blockGradients = tf.grads((...inputs: tf.Tensor[]) =>
        block(...(inputs as [tf.Tensor, tf.Tensor])),
      );
      const whole = tf.grads((...inputs: tf.Tensor[]) => {
        const [input, first, second] = inputs as [tf.Tensor, tf.Tensor, tf.Tensor];
        return block(block(input, first), second);
      })([x, w1, w2], dy) as [tf.Tensor, tf.Tensor, tf.Tensor];
      const middle = block(x, w1);
      const [dmiddle, dw2] = blockGradients([middle, w2], dy) as [tf.Tensor, tf.Tensor];
      const [dx, dw1] = blockGradients([x, w1], dmiddle) as [tf.Tensor, tf.Tensor];
      for (const [i, walked] of [dx, dw1, dw2].entries()) {
        const expected = Float64Array.from((await whole[i]?.data()) ?? []);
        expect(await difference(`gradient ${i}`, walked, expected, 1e-6, random.seed)).toBeNull();
      }
    });
  });
}
