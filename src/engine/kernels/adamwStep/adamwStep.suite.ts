import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { AdamwReference } from '../../testing/adamwReference.ts';
import { difference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { squaredNorm } from '../squaredNorm/squaredNorm.ts';
import { adamwStep } from './adamwStep.ts';

const SETTINGS = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.1 };
const LEARNING_RATE = 1e-2;

interface Pools {
  readonly parameters: tf.Tensor;
  readonly m: tf.Tensor;
  readonly v: tf.Tensor;
}

function step(
  pools: Pools,
  gradients: tf.Tensor,
  t: number,
  clipNorm: number,
  decayedLength: number,
  gradientScale?: number,
): void {
  const norm = squaredNorm(gradients);
  adamwStep(
    { ...pools, gradients, squaredNorm: norm },
    {
      ...SETTINGS,
      ...(gradientScale === undefined ? {} : { gradientScale }),
      learningRate: LEARNING_RATE,
      clipNorm,
      decayedLength,
      correction1: 1 - SETTINGS.beta1 ** t,
      correction2: 1 - SETTINGS.beta2 ** t,
    },
  );
  norm.dispose();
}

export function adamwStepSuite(): void {
  describe('adamwStep', () => {
    for (const [size, decayedLength] of [
      [7, 0],
      [131, 64],
      [40_000, 128],
    ] as const) {
      for (const clipNorm of [0, 1e-3, 1e9]) {
        test(`five steps of ${size}, decay on ${decayedLength}, norm clipped to ${clipNorm}`, async () => {
          const random = freshInputs();
          const start = random.floats(size);
          const reference = new AdamwReference(
            [
              { name: 'decayed', values: start.subarray(0, decayedLength), decays: true },
              { name: 'others', values: start.subarray(decayedLength), decays: false },
            ],
            { ...SETTINGS, clipNorm },
          );
          const pools = { parameters: tf.tensor1d(start), m: tf.zeros([size]), v: tf.zeros([size]) };
          for (let t = 1; t <= 5; t++) {
            const values = random.floats(size);
            const gradients = tf.tensor1d(values);
            step(pools, gradients, t, clipNorm, decayedLength);
            reference.update(
              new Map([
                ['decayed', values.subarray(0, decayedLength)],
                ['others', values.subarray(decayedLength)],
              ]),
              LEARNING_RATE,
            );
            expect(
              await difference('gradients', gradients, new Float64Array(size), 0, random.seed),
            ).toBeNull();
          }
          const expected = (field: 'theta' | 'm' | 'v') =>
            Float64Array.from(
              ['decayed', 'others'].flatMap((name) => [...(reference.parameters.get(name)?.[field] ?? [])]),
            );
          expect(await difference('θ', pools.parameters, expected('theta'), 1e-5, random.seed)).toBeNull();
          expect(await difference('m', pools.m, expected('m'), 1e-5, random.seed)).toBeNull();
          expect(await difference('v', pools.v, expected('v'), 1e-5, random.seed)).toBeNull();
        });
      }
    }

    for (const clipNorm of [0, 1e-3, 10]) {
      test(`gradients scaled by 1/7 in the step, norm clipped to ${clipNorm}, as if scaled before it`, async () => {
        const random = freshInputs();
        const start = random.floats(300);
        const values = random.floats(300, 7);
        const poolsOf = () => ({ parameters: tf.tensor1d(start), m: tf.zeros([300]), v: tf.zeros([300]) });
        const [scaled, before] = [poolsOf(), poolsOf()];
        step(scaled, tf.tensor1d(values), 1, clipNorm, 64, 1 / 7);
        step(before, tf.tensor1d(values.map((value) => value / 7)), 1, clipNorm, 64);
        for (const field of ['parameters', 'm', 'v'] as const) {
          const expected = Float64Array.from(await before[field].data());
          expect(await difference(field, scaled[field], expected, 1e-5, random.seed)).toBeNull();
        }
      });
    }

    for (const bad of [NaN, Infinity, -Infinity, 3e38]) {
      test(`a gradient whose norm is not finite (${bad}) changes nothing and is forgotten`, async () => {
        const random = freshInputs();
        const pools = {
          parameters: tf.tensor1d(random.floats(131)),
          m: tf.tensor1d(random.floats(131)),
          v: tf.square(tf.tensor1d(random.floats(131))),
        };
        const before = await Promise.all(
          Object.values(pools).map(async (pool) => (await pool.data()).slice()),
        );
        const values = random.floats(131);
        values[77] = bad;
        const gradients = tf.tensor1d(values);
        step(pools, gradients, 3, 1, 64);
        const after = await Promise.all(Object.values(pools).map((pool) => pool.data()));
        expect(after).toEqual(before);
        expect(await difference('gradients', gradients, new Float64Array(131), 0, random.seed)).toBeNull();
      });
    }
  });
}
