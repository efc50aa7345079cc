import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './config.ts';
import { packedLength, parameterSpecs } from './parameters.ts';
import { packArrays, unpackArrays } from './poolLayout.ts';
import { tinyConfigJson, tinyTensors } from '../testing/modelFolder.ts';

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
