import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { huggingFaceSpecs } from '../model/parameters.ts';
import { packArrays } from '../model/poolLayout.ts';
import type { ModelWeights } from '../model/weights.ts';
import { drawsFor } from '../tasks/random.ts';
import { relativeError, summary } from '../testing/accuracy.ts';
import { AdamwReference } from '../testing/adamwReference.ts';
import { gemmInto } from '../kernels/index.ts';
import { tinyModel } from '../testing/tinyModels.ts';
import { Optimizer, type OptimizerSettings } from './optimizer.ts';

const SETTINGS: OptimizerSettings = {
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.1,
  clipNorm: 8,
};
const LEARNING_RATE = 0.01;

/** Gradients of step `step`: their size grows, so that the first steps are not clipped and the last ones are. */
function gradientValues({ config }: ModelWeights, step: number): Map<string, Float32Array> {
  const draw = drawsFor(step, 5);
  return new Map(
    huggingFaceSpecs(config).map(({ name, shape }) => {
      const size = shape.reduce((product, extent) => product * extent, 1);
      return [name, Float32Array.from({ length: size }, () => 0.05 * step * (2 * draw() - 1))];
    }),
  );
}

/** Puts the values where a backward pass would have added them up. */
function setGradients(
  optimizer: Optimizer,
  { config }: ModelWeights,
  values: ReadonlyMap<string, Float32Array>,
): void {
  const pool = packArrays(config, new Map([...values].map(([name, data]) => [name, { data }])));
  const identity = tf.tensor2d([[1]]);
  const { tensor } = optimizer.gradients;
  const column = tf.tensor2d(pool, [pool.length, 1]);
  gemmInto({ tensor, offset: 0, shape: [pool.length, 1] }, column, identity, 'nn');
  tf.dispose([identity, column]);
}

function update(
  optimizer: Optimizer,
  weights: ModelWeights,
  step: number,
  values = gradientValues(weights, step),
): Promise<{ gradNorm: number }> {
  setGradients(optimizer, weights, values);
  return optimizer.update(LEARNING_RATE);
}

/** Weights and moments of a run of ten steps, interrupted after `pause` by a trip through the optimizer's saved state. */
async function tenSteps(pause: number | null) {
  const { weights } = tinyModel('mha');
  let optimizer = new Optimizer(weights, SETTINGS);
  for (let step = 1; step <= 10; step++) {
    await update(optimizer, weights, step);
    if (step !== pause) continue;
    const state = await optimizer.state();
    optimizer.dispose();
    optimizer = new Optimizer(weights, SETTINGS, state);
  }
  const result = { packed: await weights.pack(), state: await optimizer.state() };
  optimizer.dispose();
  weights.dispose();
  return result;
}

export function optimizerSuite(): void {
  describe('Optimizer', () => {
    test('ten steps with decay of matrices and clipping follow float64', async ({ annotate }) => {
      const { weights } = tinyModel('mha');
      const start = [...(await weights.toHuggingFace())].map(([name, { shape, data }]) => ({
        name,
        values: data,
        decays: shape.length > 1,
      }));
      expect(new Set(start.map(({ decays }) => decays)).size).toBe(2);
      const reference = new AdamwReference(start, SETTINGS);
      const optimizer = new Optimizer(weights, SETTINGS);
      const norms: number[] = [];
      for (let step = 1; step <= 10; step++) {
        const norm = reference.update(gradientValues(weights, step), LEARNING_RATE);
        expect((await update(optimizer, weights, step)).gradNorm / norm).toBeCloseTo(1, 5);
        norms.push(norm);
      }
      expect(norms.some((norm) => norm < SETTINGS.clipNorm)).toBe(true);
      expect(norms.some((norm) => norm > 2 * SETTINGS.clipNorm)).toBe(true);
      const { step, moments } = await optimizer.state();
      const thetas = await weights.toHuggingFace();
      expect(step).toBe(10);
      const worst = { theta: 0, m: 0, v: 0 };
      for (const [name, expected] of reference.parameters) {
        const errors = {
          theta: relativeError(thetas.get(name)?.data ?? [], expected.theta),
          m: relativeError(moments.get(name)?.m ?? [], expected.m),
          v: relativeError(moments.get(name)?.v ?? [], expected.v),
        };
        for (const key of ['theta', 'm', 'v'] as const) worst[key] = Math.max(worst[key], errors[key]);
      }
      optimizer.dispose();
      weights.dispose();
      await annotate(`largest relative errors ${summary(worst)}`);
      expect(Math.max(...Object.values(worst))).toBeLessThan(2e-6);
    });

    test('goes on from its saved state to the bit', async () => {
      expect(await tenSteps(4)).toEqual(await tenSteps(null));
    });

    for (const bad of [NaN, Infinity]) {
      test(`refuses a gradient that holds ${bad} and stays as it was`, async () => {
        const { weights } = tinyModel('gqa');
        const optimizer = new Optimizer(weights, SETTINGS);
        await update(optimizer, weights, 1);
        const before = { packed: await weights.pack(), state: await optimizer.state() };
        const tensors = tf.memory().numTensors;
        const values = gradientValues(weights, 2);
        values.get('model.norm.weight')?.fill(bad, 3, 4);
        await expect(update(optimizer, weights, 2, values)).rejects.toThrow(/update 2 is (NaN|Infinity)/);
        expect({ packed: await weights.pack(), state: await optimizer.state() }).toEqual(before);
        expect(tf.memory().numTensors).toBe(tensors);
        await update(optimizer, weights, 2);
        expect((await optimizer.state()).step).toBe(2);
        optimizer.dispose();
        weights.dispose();
      });
    }
  });
}
