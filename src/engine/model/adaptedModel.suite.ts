/** A model with an adapter against the same model merged, and its gradients against merged ones and finite differences. */
import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import type { ModelFiles } from '../hub/types.ts';
import { freshInputs, type RandomInputs } from '../kernels/testing/random.ts';
import { relativeError, summary, worstDifference } from '../testing/accuracy.ts';
import {
  adaptedPair,
  ARCHITECTURES,
  MOST_ROUNDING,
  randomAdapterPool,
  randomPool,
  randomTokens,
  slopeTolerance,
} from '../testing/adaptedModels.ts';
import { passOf } from '../testing/passes.ts';
import { openReferenceModel, REFERENCE_POSITIONS } from '../testing/referenceModel.ts';
import { Adapter, initialFactors } from './adapter.ts';
import type { ModelConfig } from './config.ts';
import { createCaches, disposeCaches, prefill } from './incremental.ts';
import { LanguageModel, type TokenBatch } from './languageModel.ts';
import { adapterLength, adapterSpecs, type LoraSettings } from './lora.ts';
import { LORA_TARGETS } from './loraTargets.ts';
import { ModelWeights } from './weights.ts';

const SETTINGS: LoraSettings = { rank: 3, alpha: 5, targets: LORA_TARGETS };
/** Some of the maps that share a matrix: the others' columns get nothing. */
const PARTIAL: LoraSettings = { rank: 2, alpha: 2, targets: ['k_proj', 'down_proj', 'up_proj'] };
const TEMPERATURE = 0.8;

const breathe = (): Promise<void> => Promise.resolve();

interface TokenValues {
  readonly logprob: Float32Array;
  readonly entropy: Float32Array;
}

async function valuesOf(model: LanguageModel, tokens: TokenBatch, temperature = 1): Promise<TokenValues> {
  const state = await model.forward(tokens, breathe, { forBackward: false });
  const result = await model.logprobs(state, temperature, breathe);
  model.release(state);
  const values = {
    logprob: await result.logprob.data<'float32'>(),
    entropy: await result.entropy.data<'float32'>(),
  };
  tf.dispose([result.logprob, result.entropy]);
  return values;
}

/** Largest difference, absolute below 1 and relative above: the rounding of a log-probability grows with it. */
function disagreement(found: TokenValues, expected: TokenValues): Record<keyof TokenValues, number> {
  const worst = (a: Float32Array, b: Float32Array) => {
    const sizes = b.map((value) => Math.max(1, Math.abs(value)));
    return worstDifference(
      a.map((value, i) => value / (sizes[i] ?? NaN)),
      b.map((value, i) => value / (sizes[i] ?? NaN)),
    );
  };
  return { logprob: worst(found.logprob, expected.logprob), entropy: worst(found.entropy, expected.entropy) };
}

/** The weights of a sum over log-probabilities and entropies, which is the loss here. */
interface Upstream {
  readonly logprob: Float32Array;
  readonly entropy: Float32Array;
}

function upstreamFor({ ids }: TokenBatch, random: RandomInputs): Upstream {
  return { logprob: random.floats(ids.length), entropy: random.floats(ids.length, 0.3) };
}

async function lossOf(model: LanguageModel, tokens: TokenBatch, upstream: Upstream): Promise<number> {
  const { logprob, entropy } = await valuesOf(model, tokens, TEMPERATURE);
  const inner = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, i) => sum + value * (b[i] ?? NaN), 0);
  return inner(upstream.logprob, logprob) + inner(upstream.entropy, entropy);
}

/** The gradients of what the model trains, by the names of its file. */
async function gradientsOf(model: LanguageModel, tokens: TokenBatch, upstream: Upstream) {
  const gradients = model.trainable.newGradients();
  const state = await model.forward(tokens, breathe);
  const given = { logprob: tf.tensor1d(upstream.logprob), entropy: tf.tensor1d(upstream.entropy) };
  await model.backward(state, given, TEMPERATURE, gradients, breathe);
  model.release(state);
  tf.dispose([given.logprob, given.entropy]);
  const pool = (await gradients.tensor.data<'float32'>()).slice();
  gradients.dispose();
  return { pool, named: model.trainable.unpackNamed(pool) };
}

/** [m, k] · [k, n] in float64 by `a(row, inner)` and `b(inner, column)`. */
function product(
  [m, k, n]: readonly [number, number, number],
  a: (row: number, inner: number) => number,
  b: (inner: number, column: number) => number,
): Float64Array {
  return Float64Array.from({ length: m * n }, (_, at) => {
    let sum = 0;
    for (let i = 0; i < k; i++) sum += a(Math.floor(at / n), i) * b(i, at % n);
    return sum;
  });
}

function architectureTests(config: ModelConfig, differenced: readonly string[]): void {
  const setUp = (settings: LoraSettings) => {
    const random = freshInputs();
    const pools = { base: randomPool(config, random), adapter: randomAdapterPool(config, settings, random) };
    const tokens = randomTokens(config, random);
    return { random, pools, tokens, ...adaptedPair(config, settings, pools) };
  };

  for (const [name, settings] of [
    ['all targets', SETTINGS],
    ['some of them', PARTIAL],
  ] as const) {
    test(`${name}: merged and unmerged forward agree, and differ from the base`, async ({ annotate }) => {
      const { random, pools, tokens, adapted, merged } = setUp(settings);
      const base = new LanguageModel(new ModelWeights(config, pools.base), 32);
      const [unmergedValues, mergedValues, baseValues] = [
        await valuesOf(adapted, tokens),
        await valuesOf(merged, tokens),
        await valuesOf(base, tokens),
      ];
      const worst = {
        logprob: worstDifference(unmergedValues.logprob, mergedValues.logprob),
        entropy: worstDifference(unmergedValues.entropy, mergedValues.entropy),
      };
      await annotate(`largest differences ${summary(worst)}`);
      expect({ seed: random.seed, worst: Math.max(...Object.values(worst)) < MOST_ROUNDING }).toEqual({
        seed: random.seed,
        worst: true,
      });
      expect(worstDifference(unmergedValues.logprob, baseValues.logprob)).toBeGreaterThan(0.01);
      for (const model of [adapted, merged, base]) model.dispose();
    });
  }

  test('decoding with the adapter gives the logits of the merged model', async () => {
    const { random, adapted, merged } = setUp(SETTINGS);
    const prompts = [5, 9].map((length) => [...random.ints(length, config.vocabSize)]);
    const logits: Float32Array[] = [];
    for (const model of [adapted, merged]) {
      const caches = createCaches(model, 2, 16);
      const result = tf.tidy(() => prefill(model, prompts, 9, caches, { sources: [0, 1], slots: [0, 1] }));
      logits.push((await result.data<'float32'>()).slice());
      result.dispose();
      disposeCaches(caches);
      model.dispose();
    }
    const apart = worstDifference(logits[0] ?? [], logits[1] ?? []);
    expect(apart, `seed ${random.seed}`).toBeLessThan(MOST_ROUNDING);
  });

  test('gradients are those of the merged matrices, projected: dA = s·Bᵀ·dW, dB = s·dW·Aᵀ', async ({
    annotate,
  }) => {
    const { random, pools, tokens, adapted, merged } = setUp(SETTINGS);
    const upstream = upstreamFor(tokens, random);
    const { named } = await gradientsOf(adapted, tokens, upstream);
    const whole = (await gradientsOf(merged, tokens, upstream)).named;
    const adapter = adapted.trainable.unpackNamed(pools.adapter);
    const scale = SETTINGS.alpha / SETTINGS.rank;
    const worst: Record<string, number> = {};
    for (const { module } of adapterSpecs(config, SETTINGS)) {
      const [out = 0, inputs = 0] = whole.get(`${module}.weight`)?.shape ?? [];
      const { rank } = SETTINGS;
      const at = (map: typeof whole, name: string, width: number) => {
        const data = map.get(name)?.data ?? new Float32Array();
        return (row: number, column: number) => data[row * width + column] ?? NaN;
      };
      const dw = at(whole, `${module}.weight`, inputs);
      const a = at(adapter, `base_model.model.${module}.lora_A.weight`, inputs);
      const b = at(adapter, `base_model.model.${module}.lora_B.weight`, rank);
      const da = product([rank, out, inputs], (k, o) => scale * b(o, k), dw);
      const db = product([out, inputs, rank], dw, (i, k) => scale * a(k, i));
      for (const [matrix, expected] of [
        ['A', da],
        ['B', db],
      ] as const) {
        const found = named.get(`base_model.model.${module}.lora_${matrix}.weight`)?.data ?? [];
        worst[`${module} ${matrix}`] = relativeError(found, expected);
      }
    }
    adapted.dispose();
    merged.dispose();
    await annotate(`largest relative error ${summary(worst).split(',')[0]}`);
    expect(Object.entries(worst).filter(([, error]) => !(error < 1e-4))).toEqual([]);
  });

  test('gradients that begin with the slopes of a frozen head are those that make the logits again', async () => {
    for (const settings of [PARTIAL, SETTINGS]) {
      const { random, tokens: all, adapted, merged } = setUp(settings);
      merged.dispose();
      const tokens = { ...all, wanted: all.ids.map((_, i) => 2 * i).filter((i) => i < all.ids.length) };
      const upstream = {
        logprob: upstreamFor(tokens, random).logprob,
        entropy: new Float32Array(tokens.ids.length),
      };
      const again = await passOf(adapted, tokens, upstream);
      const once = await passOf(adapted, tokens, upstream, true);
      expect([again.hasSlope, once.hasSlope]).toEqual([false, adapted.headPair === null]);
      const { seed } = random;
      expect({ seed, values: [once.logprob, once.entropy] }).toEqual({
        seed,
        values: [again.logprob, again.entropy],
      });
      const error = relativeError(once.gradients, again.gradients);
      expect({ seed, error, close: error < 1e-6 }).toEqual({ seed, error, close: true });
      adapted.dispose();
    }
  });

  test('gradients match central differences of the loss along a direction in each kind of matrix', async ({
    annotate,
  }) => {
    const { random, pools, tokens, adapted, merged } = setUp(SETTINGS);
    merged.dispose();
    const upstream = upstreamFor(tokens, random);
    const { pool: gradient } = await gradientsOf(adapted, tokens, upstream);
    const worst: Record<string, number> = {};
    const specs = adapterSpecs(config, SETTINGS);
    for (const target of differenced) {
      for (const matrix of ['a', 'b'] as const) {
        const places = specs
          .filter(({ module }) => module.endsWith(target))
          .flatMap((spec) => {
            const [rows, columns] = spec[matrix].shape;
            return Array.from({ length: rows * columns }, (_, i) => spec[matrix].offset + i);
          });
        // A model without gates has nothing of that name.
        if (places.length === 0) continue;
        const length = Math.hypot(...places.map((place) => gradient[place] ?? NaN));
        // Half along the gradient, half anywhere: the slope is then well above the rounding of the loss.
        const noise = random.floats(places.length, 1 / Math.sqrt(places.length));
        const direction = places.map((place, i) => (gradient[place] ?? NaN) / length + (noise[i] ?? NaN));
        const slope = places.reduce(
          (sum, place, i) => sum + (gradient[place] ?? NaN) * (direction[i] ?? NaN),
          0,
        );
        const lossAt = async (step: number) => {
          const moved = pools.adapter.slice();
          places.forEach((place, i) => (moved[place] = (moved[place] ?? NaN) + step * (direction[i] ?? NaN)));
          const adapter = new Adapter(config, SETTINGS, moved);
          const model = new LanguageModel(adapted.weights, 32, adapter);
          const loss = await lossOf(model, tokens, upstream);
          model.dispose({ keepWeights: true });
          return loss;
        };
        const central = async (h: number) => ((await lossAt(h)) - (await lossAt(-h))) / (2 * h);
        // Richardson's extrapolation takes the h² term out, so that h may be large beside the rounding of f32.
        const h = Math.min(0.02, 0.2 / length);
        const measured = (4 * (await central(h / 2)) - (await central(h))) / 3;
        worst[`${target} ${matrix}`] = Math.abs(measured / slope - 1);
      }
    }
    adapted.dispose();
    await annotate(`largest relative error ${summary(worst).split(',')[0]}`);
    expect({
      seed: random.seed,
      wrong: Object.entries(worst).filter(([, error]) => !(error < slopeTolerance(config))),
    }).toEqual({
      seed: random.seed,
      wrong: [],
    });
  });
}

/** `differenced` are the maps whose gradients are compared with central differences; `names` are the architectures that are tested. */
export function adaptedModelSuite(
  differenced: readonly string[] = LORA_TARGETS,
  names: readonly string[] = Object.keys(ARCHITECTURES),
): void {
  for (const [name, config] of Object.entries(ARCHITECTURES)) {
    if (!names.includes(name)) continue;
    describe(`an adapted ${name}`, () => {
      architectureTests(config, differenced);
    });
  }

  describe('an adapter', () => {
    const config = ARCHITECTURES.qwen3;
    const draws = (random: RandomInputs) => {
      const values = random.ints(100_000, 2 ** 24);
      let next = 0;
      return () => (values[next++] ?? NaN) / 2 ** 24;
    };

    test('begins as the base model, to the bit: B is zero, A uniform in ±1/√in', async () => {
      const random = freshInputs();
      const weights = new ModelWeights(config, randomPool(config, random));
      const settings: LoraSettings = { ...SETTINGS, rank: 8 };
      const adapter = new Adapter(config, settings, await initialFactors(config, settings, draws(random)));
      for (const [name, { shape, data }] of await adapter.toPeft()) {
        const bound = 1 / Math.sqrt(shape[1] ?? 1);
        const largest = data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        if (name.includes('lora_B')) expect(largest).toBe(0);
        else {
          expect(largest).toBeLessThanOrEqual(bound);
          expect(largest).toBeGreaterThan(0.9 * bound);
          // A uniform variable in ±b has variance b²/3.
          const variance = data.reduce((sum, value) => sum + value ** 2, 0) / data.length;
          expect(variance / (bound ** 2 / 3)).toBeGreaterThan(0.6);
          expect(variance / (bound ** 2 / 3)).toBeLessThan(1.4);
        }
      }
      const base = new LanguageModel(weights, 32);
      const adapted = new LanguageModel(weights, 32, adapter);
      const tokens = randomTokens(config, random);
      expect(await valuesOf(adapted, tokens)).toEqual(await valuesOf(base, tokens));
      adapted.dispose({ keepWeights: true });
      expect((await valuesOf(base, tokens)).logprob).toHaveLength(tokens.ids.length);
      base.dispose();
    });

    test('goes to its packed and PEFT forms and back; the packed one holds nothing but the pairs', async () => {
      const random = freshInputs();
      const pool = randomAdapterPool(config, SETTINGS, random);
      const adapter = new Adapter(config, SETTINGS, pool);
      expect(await adapter.pack()).toEqual(pool);
      expect((await adapter.pack()).byteLength).toBe(4 * adapterLength(config, SETTINGS));
      const target = new Float32Array(pool.length);
      expect(await adapter.pack(target)).toBe(target);
      const peft = await adapter.toPeft();
      expect(peft.get('base_model.model.model.layers.1.mlp.down_proj.lora_A.weight')?.shape).toEqual([3, 40]);
      expect(peft.get('base_model.model.model.layers.1.mlp.down_proj.lora_B.weight')?.shape).toEqual([20, 3]);
      const back = Adapter.fromPeft(config, SETTINGS, peft);
      expect(await back.pack()).toEqual(pool);
      const lacking = new Map([...peft].slice(1));
      expect(() => Adapter.fromPeft(config, SETTINGS, lacking)).toThrow(/lacks .*q_proj\.lora_A/);
      expect(() => new Adapter(config, SETTINGS, pool.subarray(64))).toThrow(/holds \d+ numbers/);
      adapter.dispose();
      back.dispose();
    });

    test('leaves no tensor behind, and takes no gradients of weights', async () => {
      const random = freshInputs();
      const before = tf.memory().numTensors;
      const pools = {
        base: randomPool(config, random),
        adapter: randomAdapterPool(config, SETTINGS, random),
      };
      const { adapted, merged } = adaptedPair(config, SETTINGS, pools);
      const tokens = randomTokens(config, random);
      const held = tf.memory().numTensors;
      await gradientsOf(adapted, tokens, upstreamFor(tokens, random));
      expect(tf.memory().numTensors).toBe(held);
      const [ofWeights, ofAdapter] = [adapted.pool.newGradients(), adapted.trainable.newGradients()];
      const zeros = tf.zeros([tokens.ids.length]);
      const backward = async (model: LanguageModel, gradients: typeof ofWeights | typeof ofAdapter) => {
        const state = await model.forward(tokens, breathe);
        const run = model.backward(state, { logprob: zeros, entropy: zeros }, 1, gradients, breathe);
        await run.finally(() => model.release(state));
      };
      await expect(backward(adapted, ofWeights)).rejects.toThrow(/weights are frozen/);
      await expect(backward(merged, ofAdapter)).rejects.toThrow(/the model has none/);
      tf.dispose(zeros);
      for (const each of [ofWeights, ofAdapter, adapted, merged]) each.dispose();
      expect(tf.memory().numTensors).toBe(before);
    });
  });
}

export function adaptedReferenceSuite(models: readonly ModelFiles[]): void {
  test('there are reference models', () => expect(models.length).toBeGreaterThan(0));
  for (const files of models) {
    test(`${files.label}: merged and unmerged forward agree`, async ({ annotate }) => {
      const random = freshInputs();
      const reference = await openReferenceModel(files);
      const { config, pool: weights } = reference.model;
      const pools = { base: await weights.pack(), adapter: randomAdapterPool(config, SETTINGS, random) };
      reference.dispose();
      const { adapted, merged } = adaptedPair(config, SETTINGS, pools, REFERENCE_POSITIONS);
      const tokens = randomTokens(config, random, 2, 24);
      const [unmergedValues, mergedValues] = [
        await valuesOf(adapted, tokens),
        await valuesOf(merged, tokens),
      ];
      const worst = disagreement(unmergedValues, mergedValues);
      adapted.dispose();
      merged.dispose();
      await annotate(`largest differences ${summary(worst)}`);
      expect({ seed: random.seed, worst: Math.max(...Object.values(worst)) < MOST_ROUNDING }).toEqual({
        seed: random.seed,
        worst: true,
      });
    });
  }
}
