import { expect, test } from 'vitest';
import { parseModelConfig } from '@rl-playground/engine/parts';
import { tinyConfigJson } from '@rl-playground/engine/testing/modelFolder';
import { productsOf } from './products.ts';

test('an update multiplies each weight with each position that reaches it, three times', () => {
  const config = parseModelConfig({
    ...tinyConfigJson,
    hidden_size: 10,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 6,
    intermediate_size: 7,
    vocab_size: 11,
  });
  const microbatches = [
    { computed: 1000, wanted: new Int32Array(600) },
    { computed: 40, wanted: new Int32Array(20) },
  ];
  // q | k | v 10 x 48, o 24 x 10, gate | up 10 x 14, down 7 x 10; the head 11 x 10.
  const [qkv, rest, head] = [480, 240 + 140 + 70, 110];
  const multiplications = 3 * (1040 * (3 * qkv + 2 * rest) + 620 * (rest + head));
  const products = productsOf(config, microbatches);
  expect(products.reduce((sum, { m, n, k }) => sum + m * n * k, 0)).toBe(multiplications);
  // 600 rows of logits are three pieces.
  expect(products).toHaveLength(2 * 3 * 4 * 3 + (3 + 1) * 3);
  expect(products[0]).toEqual({ layout: 'nn', m: 1000, n: 48, k: 10 });
});
