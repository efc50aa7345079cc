import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference } from '../checks/compare.ts';
import { freshInputs } from '../checks/random.ts';
import { adamw } from './adamw.ts';

export function adamwSuite(): void {
  describe('adamw', () => {
    for (const size of [7, 131]) {
      test(`five steps of ${size} parameters`, async () => {
        const random = freshInputs();
        const [rate, beta1, beta2, epsilon, decay, clip] = [1e-2, 0.9, 0.999, 1e-8, 0.1, 0.3];
        const theta = Float64Array.from(random.floats(size));
        const m = new Float64Array(size);
        const v = new Float64Array(size);
        let state = {
          parameter: tf.tensor1d(Float32Array.from(theta)) as tf.Tensor,
          m: tf.zeros([size]) as tf.Tensor,
          v: tf.zeros([size]) as tf.Tensor,
        };
        for (let t = 1; t <= 5; t++) {
          const gradients = random.floats(size);
          for (let i = 0; i < size; i++) {
            const g = (gradients[i] ?? NaN) * clip;
            const first = beta1 * (m[i] ?? NaN) + (1 - beta1) * g;
            const second = beta2 * (v[i] ?? NaN) + (1 - beta2) * g * g;
            const unbiased = first / (1 - beta1 ** t);
            const step = unbiased / (Math.sqrt(second / (1 - beta2 ** t)) + epsilon);
            m[i] = first;
            v[i] = second;
            theta[i] = (theta[i] ?? NaN) * (1 - rate * decay) - rate * step;
          }
          state = adamw(
            { ...state, gradient: tf.tensor1d(gradients) },
            {
              learningRate: rate,
              beta1,
              beta2,
              epsilon,
              weightDecay: decay,
              gradientScale: clip,
              correction1: 1 - beta1 ** t,
              correction2: 1 - beta2 ** t,
            },
          );
          expect(await difference(`θ after step ${t}`, state.parameter, theta, 1e-5, random.seed)).toBeNull();
          expect(await difference(`m after step ${t}`, state.m, m, 1e-5, random.seed)).toBeNull();
          expect(await difference(`v after step ${t}`, state.v, v, 1e-5, random.seed)).toBeNull();
        }
      });
    }
  });
}
