/** A value head on models of each architecture: its values by hand, its gradients by central differences, all weights and LoRA. */
import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { LORA_TARGETS } from './loraTargets.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { groupedTokens } from '../testing/groupedTokens.ts';
import { relativeError, worstDifference } from '../testing/accuracy.ts';
import {
  ARCHITECTURES,
  randomAdapterPool,
  randomPool,
  randomTokens,
  slopeTolerance,
} from '../testing/adaptedModels.ts';
import { Adapter } from './adapter.ts';
import type { ModelConfig } from './config.ts';
import { LanguageModel, type TokenBatch } from './languageModel.ts';
import { ValueHead, valueHeadSpecs } from './valueHead.ts';
import { ModelWeights } from './weights.ts';

const SETTINGS = { rank: 3, alpha: 5, targets: LORA_TARGETS };
const POSITIONS = 32;
const breathe = (): Promise<void> => Promise.resolve();

/** The parts of the model, as plain arrays. */
interface Pools {
  readonly base: Float32Array;
  readonly adapter: Float32Array | null;
  readonly head: Float32Array;
}

function modelOf(config: ModelConfig, { base, adapter, head }: Pools): LanguageModel {
  return new LanguageModel(
    new ModelWeights(config, base),
    POSITIONS,
    adapter && new Adapter(config, SETTINGS, adapter),
    undefined,
    new ValueHead(config.hiddenSize, head),
  );
}

async function valuesOf(model: LanguageModel, tokens: TokenBatch): Promise<Float32Array> {
  const state = await model.forward(tokens, breathe, { forBackward: false });
  const values = model.values(state);
  model.release(state);
  const read = (await values.data<'float32'>()).slice();
  values.dispose();
  return read;
}

const inner = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? NaN), 0);

/** The gradients of Σ weight · V by what is trained and by the head; nothing comes from the logits. */
async function gradientsOf(model: LanguageModel, tokens: TokenBatch, weights: Float32Array) {
  const into = new ValueHead(model.config.hiddenSize);
  const gradients = model.trainable.newGradients();
  const state = await model.forward(tokens, breathe);
  const zeros = tf.zeros([tokens.ids.length]);
  const gradient = tf.tensor1d(weights);
  const upstream = { logprob: zeros, entropy: zeros, value: { gradient, into } };
  await model.backward(state, upstream, 1, gradients, breathe);
  model.release(state);
  const read = {
    trunk: (await gradients.pack()).slice(),
    head: (await into.pack()).slice(),
  };
  tf.dispose([zeros, gradient]);
  gradients.dispose();
  into.dispose();
  return read;
}

function architectureTests(config: ModelConfig, lora: boolean): void {
  const setUp = () => {
    const random = freshInputs();
    const pools: Pools = {
      base: randomPool(config, random),
      adapter: lora ? randomAdapterPool(config, SETTINGS, random) : null,
      head: packedHead(config, random.floats(config.hiddenSize), 0.5),
    };
    const tokens = randomTokens(config, random);
    return { random, pools, tokens, weights: random.floats(tokens.ids.length) };
  };

  test('its gradients match central differences along a direction in the trunk, and in the head', async ({
    annotate,
  }) => {
    const { random, pools, tokens, weights } = setUp();
    const model = modelOf(config, pools);
    const found = await gradientsOf(model, tokens, weights);
    model.dispose();
    const trained = pools.adapter ?? pools.base;
    const worst: Record<string, number> = {};
    for (const [part, gradient, pool] of [
      ['trunk', found.trunk, trained],
      ['head', found.head, pools.head],
    ] as const) {
      const length = Math.hypot(...gradient);
      // Only what has a gradient is moved: the gaps of a pool have none.
      const noise = random.floats(gradient.length, 1 / Math.sqrt(gradient.length));
      const direction = gradient.map((value, i) => (value === 0 ? 0 : value / length + (noise[i] ?? NaN)));
      const slope = inner(gradient, direction);
      const lossAt = async (step: number): Promise<number> => {
        const moved = pool.map((value, i) => value + step * (direction[i] ?? NaN));
        const place = part === 'head' ? 'head' : lora ? 'adapter' : 'base';
        const other = modelOf(config, { ...pools, [place]: moved });
        const loss = inner(weights, await valuesOf(other, tokens));
        other.dispose();
        return loss;
      };
      const central = async (h: number) => ((await lossAt(h)) - (await lossAt(-h))) / (2 * h);
      const h = Math.min(0.02, 0.2 / length);
      // Richardson's extrapolation takes the h² term out.
      const measured = (4 * (await central(h / 2)) - (await central(h))) / 3;
      worst[part] = Math.abs(measured / slope - 1);
    }
    await annotate(JSON.stringify(worst));
    const wrong = Object.entries(worst).filter(([, error]) => !(error < slopeTolerance(config)));
    expect({ seed: random.seed, wrong }).toEqual({ seed: random.seed, wrong: [] });
  });

  test('among chosen positions it has the values and gradients that it has among all', async () => {
    const { random, pools, tokens, weights } = setUp();
    const model = modelOf(config, pools);
    const chosen = random.ints(tokens.ids.length, 3).map((value) => (value === 0 ? 1 : 0));
    chosen[chosen.length - 1] = 1;
    const wanted = Int32Array.from(chosen.keys()).filter((position) => chosen[position] === 1);
    const only = (values: Float32Array): Float32Array => values.map((value, i) => value * (chosen[i] ?? 0));
    const [all, some] = [await valuesOf(model, tokens), await valuesOf(model, { ...tokens, wanted })];
    expect(worstDifference(some, only(all))).toBeLessThan(1e-5);
    const ofAll = await gradientsOf(model, tokens, only(weights));
    const ofSome = await gradientsOf(model, { ...tokens, wanted }, only(weights));
    expect(relativeError(ofSome.trunk, ofAll.trunk)).toBeLessThan(1e-5);
    expect(relativeError(ofSome.head, ofAll.head)).toBeLessThan(1e-5);
    model.dispose();
  });

  test('where rows share prompts it has the values and gradients of rows that do not', async () => {
    const { random, pools } = setUp();
    const model = modelOf(config, pools);
    const tokens = groupedTokens(config.vocabSize, random);
    const apart = { ...tokens, shared: null };
    expect(await valuesOf(model, tokens)).toEqual(await valuesOf(model, apart));
    const weights = random.floats(tokens.ids.length);
    const [once, each] = [
      await gradientsOf(model, tokens, weights),
      await gradientsOf(model, apart, weights),
    ];
    expect(relativeError(once.trunk, each.trunk)).toBeLessThan(1e-6);
    expect(once.head).toEqual(each.head);
    model.dispose();
  });
}

function packedHead(config: ModelConfig, weight: Float32Array, bias: number): Float32Array {
  const [first, second] = valueHeadSpecs(config.hiddenSize).map(({ name }) => name);
  const head = new ValueHead(config.hiddenSize);
  const packed = head.packNamed(
    new Map([
      [first ?? '', { data: weight }],
      [second ?? '', { data: Float32Array.of(bias) }],
    ]),
  );
  head.dispose();
  return packed;
}

/** `architectures`: names of those that are asked. */
export function valueHeadSuite(architectures: readonly string[] = Object.keys(ARCHITECTURES)): void {
  for (const [name, config] of Object.entries(ARCHITECTURES)) {
    if (!architectures.includes(name)) continue;
    describe(`a value head on ${name}`, () => {
      architectureTests(config, false);
    });
    describe(`a value head on ${name} with LoRA`, () => {
      architectureTests(config, true);
    });
  }

  describe('a value head', () => {
    test('is w · h + b, its gradients Σ d · h, Σ d and d · w', async () => {
      // Whole numbers, so that every sum is exact in f32.
      const head = new ValueHead(
        3,
        packedHead({ ...ARCHITECTURES.llama, hiddenSize: 3 }, Float32Array.of(2, -1, 4), 3),
      );
      const normed = tf.tensor2d([1, 2, 3, -1, 0, 5], [2, 3]);
      const values = head.values(normed);
      expect([...(await values.data())]).toEqual([2 - 2 + 12 + 3, -2 + 20 + 3]);
      const into = head.newGradients();
      const residual = tf.tensor2d([10, 20, 30, 40, 50, 60], [2, 3]);
      const dvalue = tf.tensor1d([0.5, -2]);
      const dnormed = head.gradient(normed, dvalue, into, residual);
      expect([...(await dnormed.data())]).toEqual([11, 19.5, 32, 36, 52, 52]);
      const named = await into.toNamed();
      expect([...named].map(([name, { shape, data }]) => [name, shape, [...data]])).toEqual([
        ['v_head.summary.weight', [1, 3], [0.5 + 2, 1, 1.5 - 10]],
        ['v_head.summary.bias', [1], [-1.5]],
      ]);
      // Gradients add up.
      head.gradient(normed, dvalue, into, residual).dispose();
      expect([...((await into.toNamed()).get('v_head.summary.bias')?.data ?? [])]).toEqual([-3]);
      tf.dispose([normed, values, residual, dvalue, dnormed]);
      head.dispose();
      into.dispose();
    });

    test('is read back from its tensors, and begins at 0', async () => {
      const { hiddenSize } = ARCHITECTURES.llama;
      const weight = freshInputs().floats(hiddenSize);
      const packed = packedHead(ARCHITECTURES.llama, weight, -0.25);
      const head = new ValueHead(hiddenSize, packed);
      const named = await head.toNamed();
      expect(named.get('v_head.summary.weight')?.data).toEqual(weight);
      expect([...named].map(([name, { shape }]) => ({ name, shape }))).toEqual(valueHeadSpecs(hiddenSize));
      expect(head.packNamed(named)).toEqual(packed);
      const fresh = new ValueHead(hiddenSize);
      expect((await fresh.pack()).every((value) => value === 0)).toBe(true);
      expect(() => new ValueHead(hiddenSize + 64, packed)).toThrow(/holds 128 numbers; this model needs 192/);
      head.dispose();
      fresh.dispose();
    });

    test('a model without one has no values', async () => {
      const config = ARCHITECTURES.llama;
      const random = freshInputs();
      const model = new LanguageModel(new ModelWeights(config, randomPool(config, random)), POSITIONS);
      const state = await model.forward(randomTokens(config, random), breathe);
      expect(() => model.values(state)).toThrow('has no value head');
      model.release(state);
      model.dispose();
    });
  });
}
