import { beforeAll, describe, expect, it, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { drawsFor } from '@rl-playground/base/random';
import { TINY_CONFIGS, TINY_KINDS } from '../testing/tinyModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { initialWeights } from './initialize.ts';
import { packedLength, parameterSpecs } from './parameters.ts';
import { ModelWeights, ParameterPool, packArrays, unpackArrays } from './weights.ts';
import { parseModelConfig } from './config.ts';
import { tinyConfigJson, tinyTensors } from '../testing/modelFolder.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const arraysOf = (kind: (typeof TINY_KINDS)[number]) => initialWeights(TINY_CONFIGS[kind], drawsFor(3));

describe.each(TINY_KINDS)('ModelWeights, %s', (kind) => {
  const config = TINY_CONFIGS[kind];

  test('comes back from the device in Hugging Face layout as it went in', async () => {
    const before = tf.memory().numTensors;
    const weights = ModelWeights.fromHuggingFace(config, arraysOf(kind));
    expect(await weights.toHuggingFace()).toEqual(arraysOf(kind));
    weights.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });

  test('packs into one array of every parameter and unpacks to the same bits, sharing no memory', async () => {
    const weights = ModelWeights.fromHuggingFace(config, arraysOf(kind));
    const packed = await weights.pack();
    expect(packed).toEqual(packArrays(config, arraysOf(kind)));
    const copy = new ModelWeights(config, packed);
    packed.fill(NaN);
    expect(await copy.toHuggingFace()).toEqual(arraysOf(kind));
    copy.dispose();
    weights.dispose();
  });
});

describe('what does not fit', () => {
  test('is refused with the name or the numbers', () => {
    const arrays = arraysOf('gqa');
    arrays.delete('model.norm.weight');
    expect(() => ModelWeights.fromHuggingFace(TINY_CONFIGS.gqa, arrays)).toThrow('lack model.norm.weight');
    const length = packedLength(TINY_CONFIGS.gqa);
    expect(() => new ModelWeights(TINY_CONFIGS.gqa, new Float32Array(length + 1))).toThrow(
      `hold ${length + 1} numbers; this model needs ${length}`,
    );
    const weights = ModelWeights.fromHuggingFace(TINY_CONFIGS.mha, arraysOf('mha'));
    expect(() => weights.get('lm_head.weight')).toThrow('no parameter lm_head.weight');
    expect(weights.head).toBe(weights.get('model.embed_tokens.weight'));
    weights.dispose();
  });
});

describe('gradients', () => {
  test('begin as zeros in the layout of the weights', async () => {
    const before = tf.memory().numTensors;
    const gradients = new ParameterPool(TINY_CONFIGS.gqa, null);
    expect([...(await gradients.toHuggingFace()).keys()]).toEqual([...arraysOf('gqa').keys()]);
    expect(await gradients.pack()).toEqual(new Float32Array(packedLength(TINY_CONFIGS.gqa)));
    expect(() => gradients.get('b')).toThrow('no parameter b');
    gradients.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('initialWeights', () => {
  const config = { ...TINY_CONFIGS.gqa, hiddenSize: 96, headDim: 24, vocabSize: 400 };
  const arrays = initialWeights(config, drawsFor(1));
  const deviation = (name: string): number => {
    const data = arrays.get(name)?.data ?? new Float32Array();
    return Math.sqrt(data.reduce((sum, value) => sum + value * value, 0) / data.length);
  };

  test('matrices have σ = 1/√inputs, those that write the residual stream less by √(2 · layers)', () => {
    // Of 3 840 and more draws: the σ of the sample is off by some 1 %.
    expect(deviation('model.embed_tokens.weight') * Math.sqrt(96)).toBeCloseTo(1, 1);
    expect(deviation('model.layers.0.self_attn.q_proj.weight') * Math.sqrt(96)).toBeCloseTo(1, 1);
    expect(deviation('model.layers.0.self_attn.o_proj.weight') * Math.sqrt(96 * 4)).toBeCloseTo(1, 1);
    expect(deviation('model.layers.1.mlp.down_proj.weight') * Math.sqrt(40 * 4)).toBeCloseTo(1, 1);
  });

  test('norms are 1, biases 0, and the draws alone decide', () => {
    expect(new Set(arrays.get('model.layers.0.input_layernorm.weight')?.data)).toEqual(new Set([1]));
    const biased = initialWeights({ ...config, qkvBias: true }, drawsFor(1));
    expect(new Set(biased.get('model.layers.0.self_attn.q_proj.bias')?.data)).toEqual(new Set([0]));
    expect(initialWeights(config, drawsFor(1))).toEqual(arrays);
    expect(initialWeights(config, drawsFor(2))).not.toEqual(arrays);
  });
});

const json = { ...tinyConfigJson, model_type: 'qwen2' };
const config = parseModelConfig(json);

describe('packArrays', () => {
  it('puts each number of a linear map where [in, out] and the part’s columns say', () => {
    const tensors = tinyTensors(json);
    const pool = packArrays(config, tensors);
    const spec = parameterSpecs(config).find(
      ({ name }) => name === 'model.layers.0.self_attn.qkv_proj.weight',
    );
    const key = tensors.get('model.layers.0.self_attn.k_proj.weight');
    const width = (config.heads + 2 * config.kvHeads) * config.headDim;
    const [input, output] = [3, 1];
    const at = (spec?.offset ?? NaN) + input * width + config.heads * config.headDim + output;
    expect(pool[at]).toBe(key?.data[output * config.hiddenSize + input]);
    const bias = parameterSpecs(config).find(({ name }) => name === 'model.layers.0.self_attn.qkv_proj.bias');
    const value = tensors.get('model.layers.0.self_attn.v_proj.bias');
    expect(pool[(bias?.offset ?? NaN) + width - 1]).toBe(value?.data.at(-1));
  });

  it('comes back to the bit', () => {
    const tensors = tinyTensors(json);
    const back = unpackArrays(config, packArrays(config, tensors));
    expect([...back.keys()]).toEqual([...tensors.keys()]);
    for (const [name, { shape, data }] of tensors) expect(back.get(name)).toEqual({ shape, data });
  });

  it('names what is missing', () => {
    const tensors = tinyTensors(json);
    tensors.delete('model.norm.weight');
    expect(() => packArrays(config, tensors)).toThrow('The weights lack model.norm.weight.');
  });
});

describe('unpackArrays', () => {
  it('refuses a pool of another length with both numbers', () => {
    const needed = packedLength(config);
    expect(() => unpackArrays(config, new Float32Array(7))).toThrow(
      `hold 7 numbers; this model needs ${needed}`,
    );
  });
});
