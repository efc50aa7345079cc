import { expect, it, test } from 'vitest';
import { LORA_TARGETS } from './loraTargets.ts';
import { drawsFor } from '@rl-playground/base/random';
import { unpackPeft } from './adapter.ts';
import { parseModelConfig } from './config.ts';
import { initialWeights } from './initialize.ts';
import { adapterLength, mergedConfig, type LoraSettings } from './lora.ts';
import { mergeAdapter } from '../testing/mergeAdapter.ts';
import { mergedTensors } from './mergedTensors.ts';
import { storedAs, storedBytes, storedInMemory, widened } from './storedWeights.ts';
import { packArrays, unpackArrays } from './weights.ts';

const seed = Math.floor(Math.random() * 2 ** 32);

const config = parseModelConfig({
  model_type: 'qwen2',
  vocab_size: 31,
  hidden_size: 20,
  num_hidden_layers: 2,
  intermediate_size: 28,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  tie_word_embeddings: true,
});

function drawn(settings: LoraSettings) {
  const draw = drawsFor(seed, settings.rank);
  const base = new Map(initialWeights(config, draw));
  const pool = Float32Array.from({ length: adapterLength(config, settings) }, () => draw() - 0.5);
  return { base, pool, adapter: { settings, arrays: unpackPeft(config, settings, pool) } };
}

test.each<LoraSettings>([
  { rank: 3, alpha: 7, targets: LORA_TARGETS },
  { rank: 5, alpha: 5, targets: ['q_proj', 'down_proj'], rankStabilized: true },
])(`are the weights that mergeAdapter makes, to the bit: %j (seed ${seed})`, async (settings) => {
  const { base, pool, adapter } = drawn(settings);
  const expected = unpackArrays(
    mergedConfig(config, settings),
    mergeAdapter(config, packArrays(config, base), pool, settings),
  );
  const tensors = mergedTensors(config, storedInMemory(base), adapter);
  expect([...tensors.keys()]).toEqual([...expected.keys()]);
  expect(await widened(tensors)).toEqual(expected);
});

it('give any range of bytes in any type', async () => {
  const { base, adapter } = drawn({ rank: 2, alpha: 4, targets: LORA_TARGETS });
  const draw = drawsFor(seed, 9);
  for (const [name, tensor] of mergedTensors(config, storedInMemory(base), adapter))
    for (const dtype of ['F32', 'F16', 'BF16'] as const) {
      const stored = storedAs(name, tensor, dtype);
      const size = storedBytes(stored);
      const whole = await stored.read(0, size);
      expect(whole.byteLength).toBe(size);
      const [begin = 0, end = 0] = [draw(), draw()].map((at) => Math.floor(at * size)).sort((a, b) => a - b);
      expect(await stored.read(begin, end)).toEqual(whole.subarray(begin, end));
    }
});

it('say which tensor a type can not hold', async () => {
  const tensor = storedInMemory(new Map([['a', { shape: [2], data: Float32Array.of(1, 70000) }]])).get('a');
  if (!tensor) throw new Error('There is no tensor.');
  await expect(storedAs('a', tensor, 'F16').read(0, 4)).rejects.toThrow('a holds 70000, and F16 ends');
  expect([...(await storedAs('a', tensor, 'F16').read(0, 2))]).toEqual([0, 0x3c]);
});
