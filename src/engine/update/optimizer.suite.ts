import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { Adapter, initialFactors, type Trainable } from '../model/adapter.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { adapterLength } from '../model/lora.ts';
import { LORA_TARGETS } from '../model/loraTargets.ts';
import type { ModelWeights } from '../model/weights.ts';
import { drawsFor } from '@rl-playground/base/random';
import { relativeError, summary } from '../testing/accuracy.ts';
import { AdamwReference } from '../testing/adamwReference.ts';
import { gemmInto } from '../kernels/index.ts';
import { TINY_CONFIGS, tinyModel } from '../testing/tinyModels.ts';
import { Optimizer, type OptimizerSettings } from './optimizer.ts';

const SETTINGS: OptimizerSettings = {
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.1,
  clipNorm: 8,
};
const LEARNING_RATE = 0.01;

const breathe = (): Promise<void> => Promise.resolve();

type Values = ReadonlyMap<string, Float32Array>;

/** Gradients of step `step`: their size grows, so that the first steps are not clipped and the last ones are. */
function gradientValues(trainable: Trainable, step: number, size = 0.05): Values {
  const draw = drawsFor(step, 5);
  const names = trainable.unpackNamed(new Float32Array(trainable.tensor.size));
  return new Map(
    [...names].map(([name, { data }]) => [name, data.map(() => size * step * (2 * draw() - 1))]),
  );
}

/** Puts the values where a backward pass would have added them up. */
function setGradients(optimizer: Optimizer, trainable: Trainable, values: Values): void {
  const pool = trainable.packNamed(new Map([...values].map(([name, data]) => [name, { data }])));
  const identity = tf.tensor2d([[1]]);
  const { tensor } = optimizer.gradients;
  const column = tf.tensor2d(pool, [pool.length, 1]);
  gemmInto({ tensor, offset: 0, shape: [pool.length, 1] }, column, identity, 'nn');
  tf.dispose([identity, column]);
}

function update(
  optimizer: Optimizer,
  trainable: Trainable,
  step: number,
  values = gradientValues(trainable, step),
): Promise<{ gradNorm: number }> {
  setGradients(optimizer, trainable, values);
  return optimizer.update(LEARNING_RATE);
}

const valuesOf = async (trainable: Trainable) =>
  trainable.unpackNamed((await trainable.tensor.data<'float32'>()).slice());

/** A tiny model's weights, or an adapter whose B is no longer zero; the caller disposes of both. */
const MAKERS: Readonly<Record<string, () => Adapter | ModelWeights>> = {
  weights: () => tinyModel('mha').pool,
  'an adapter': () => {
    const config = TINY_CONFIGS.mha;
    const settings = { rank: 3, alpha: 6, targets: LORA_TARGETS };
    const draw = drawsFor(11);
    const values = Float32Array.from({ length: adapterLength(config, settings) }, () => draw() - 0.5);
    return new Adapter(config, settings, values);
  },
};

/** Returns the trained weights and the moments of a run of ten steps, which goes through the saved state after step `pause`. */
async function tenSteps(make: () => Adapter | ModelWeights, pause: number | null) {
  const trainable = make();
  let optimizer = new Optimizer(trainable, SETTINGS);
  for (let step = 1; step <= 10; step++) {
    await update(optimizer, trainable, step);
    if (step !== pause) continue;
    const state = await optimizer.state();
    optimizer.dispose();
    optimizer = new Optimizer(trainable, SETTINGS, state);
  }
  const result = { packed: await trainable.pack(), state: await optimizer.state() };
  optimizer.dispose();
  trainable.dispose();
  return result;
}

export function optimizerSuite(): void {
  describe('Optimizer', () => {
    for (const [what, make] of Object.entries(MAKERS)) {
      test(`${what}: ten steps with decay of matrices and clipping follow float64`, async ({ annotate }) => {
        const trainable = make();
        const start = [...(await valuesOf(trainable))].map(([name, { shape, data }]) => ({
          name,
          values: data,
          decays: shape.length > 1,
        }));
        expect(start.some(({ decays }) => !decays)).toBe(what === 'weights');
        const reference = new AdamwReference(start, SETTINGS);
        const optimizer = new Optimizer(trainable, SETTINGS);
        const norms: number[] = [];
        for (let step = 1; step <= 10; step++) {
          const values = gradientValues(trainable, step, 0.08);
          const norm = reference.update(values, LEARNING_RATE);
          expect((await update(optimizer, trainable, step, values)).gradNorm / norm).toBeCloseTo(1, 5);
          norms.push(norm);
        }
        expect(norms.some((norm) => norm < SETTINGS.clipNorm)).toBe(true);
        expect(norms.some((norm) => norm > 2 * SETTINGS.clipNorm)).toBe(true);
        const { step, moments } = await optimizer.state();
        const thetas = await valuesOf(trainable);
        expect(step).toBe(10);
        expect([...moments.keys()]).toEqual(start.map(({ name }) => name));
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
        trainable.dispose();
        await annotate(`largest relative errors ${summary(worst)}`);
        expect(Math.max(...Object.values(worst))).toBeLessThan(2e-6);
      });

      test(`${what}: goes on from its saved state to the bit`, async () => {
        expect(await tenSteps(make, 4)).toEqual(await tenSteps(make, null));
      });

      test(`${what}: gradients of a sum, divided in the update, are those of the mean`, async () => {
        const tokens = 37;
        const results = [];
        for (const divided of [true, false]) {
          const trainable = make();
          const optimizer = new Optimizer(trainable, SETTINGS);
          for (let step = 1; step <= 3; step++) {
            const sums = gradientValues(trainable, 5 * step);
            const means = new Map(
              [...sums].map(([name, data]) => [name, data.map((value) => value / tokens)]),
            );
            setGradients(optimizer, trainable, divided ? means : sums);
            const { gradNorm } = divided
              ? await optimizer.update(LEARNING_RATE)
              : await optimizer.update(LEARNING_RATE, { gradientScale: 1 / tokens });
            results.push(gradNorm);
          }
          results.push(await trainable.pack());
          optimizer.dispose();
          trainable.dispose();
        }
        const [norms, scaledNorms] = [results.slice(0, 3), results.slice(4, 7)] as [number[], number[]];
        expect(relativeError(scaledNorms, norms)).toBeLessThan(1e-6);
        expect(relativeError(results[7] as Float32Array, results[3] as Float32Array)).toBeLessThan(1e-6);
      });
    }

    test('an adapter learns to predict tokens while the weights beside it stay as they were', async () => {
      const { pool: weights, config } = tinyModel('gqa');
      const settings = { rank: 4, alpha: 8, targets: LORA_TARGETS };
      const adapter = new Adapter(config, settings, await initialFactors(config, settings, drawsFor(3)));
      const model = new LanguageModel(weights, 32, adapter);
      const before = await weights.pack();
      const optimizer = new Optimizer(adapter, { ...SETTINGS, weightDecay: 0 });
      const ids = Int32Array.from({ length: 24 }, (_, i) => (7 * i) % 29);
      const tokens = { batch: 2, length: 12, ids, targets: ids.map((id) => (id * id) % 29) };
      const upstream = { logprob: tf.fill([24], -1 / 24), entropy: tf.zeros([24]) };
      const losses: number[] = [];
      for (let step = 0; step < 60; step++) {
        const state = await model.forward(tokens, breathe);
        const { logprob, entropy } = await model.logprobs(state, 1, breathe);
        losses.push(-(await logprob.data<'float32'>()).reduce((sum, value) => sum + value / 24, 0));
        await model.backward(state, upstream, 1, optimizer.gradients, breathe);
        model.release(state);
        tf.dispose([logprob, entropy]);
        await optimizer.update(0.02);
      }
      // A guess among 29 tokens costs 3.4 nats.
      expect(losses[0]).toBeGreaterThan(3);
      expect(losses.at(-1)).toBeLessThan(0.1);
      expect(await weights.pack()).toEqual(before);
      tf.dispose([upstream.logprob, upstream.entropy]);
      optimizer.dispose();
      model.dispose();
    });

    test('a scale of 1 changes no bit, one that is not above 0 is refused', async () => {
      const packed: Float32Array[] = [];
      for (const options of [undefined, { gradientScale: 1 }]) {
        const { pool: weights } = tinyModel('gqa');
        const optimizer = new Optimizer(weights, SETTINGS);
        setGradients(optimizer, weights, gradientValues(weights, 9));
        await optimizer.update(LEARNING_RATE, options);
        packed.push(await weights.pack());
        for (const gradientScale of [0, -1, NaN, Infinity]) {
          await expect(optimizer.update(LEARNING_RATE, { gradientScale })).rejects.toThrow('above 0');
        }
        expect(await weights.pack()).toEqual(packed.at(-1));
        optimizer.dispose();
        weights.dispose();
      }
      expect(packed[1]).toEqual(packed[0]);
    });

    test('a clip norm of 0 clips nothing', async () => {
      const packed: Float32Array[] = [];
      for (const clipNorm of [0, 1e9]) {
        const { pool: weights } = tinyModel('gqa');
        const optimizer = new Optimizer(weights, { ...SETTINGS, clipNorm });
        // Steps of different size: Adam itself takes no notice of a constant factor.
        for (const size of [1, 100, 3]) {
          setGradients(optimizer, weights, gradientValues(weights, size));
          expect((await optimizer.update(LEARNING_RATE)).gradNorm).toBeGreaterThan(1);
        }
        packed.push(await weights.pack());
        optimizer.dispose();
        weights.dispose();
      }
      expect(packed[0]).toEqual(packed[1]);
    });

    for (const bad of [NaN, Infinity]) {
      test(`refuses a gradient that holds ${bad} and stays as it was`, async () => {
        const { pool: weights } = tinyModel('gqa');
        const optimizer = new Optimizer(weights, SETTINGS);
        await update(optimizer, weights, 1);
        const before = { packed: await weights.pack(), state: await optimizer.state() };
        const tensors = tf.memory().numTensors;
        const values = new Map(gradientValues(weights, 2));
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
