import { expect, test } from 'vitest';
import type { ModelConfig } from '@rl-playground/engine/parts';
import { modelBlocks } from '@rl-playground/run/inspect/blocks';
import { blockPlace, blockShape, gradientWords, modelWords } from './words.ts';

const config = {
  vocabSize: 100,
  hiddenSize: 8,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 2,
  mlpSize: 16,
  mlp: 'swiglu',
  tiedHead: true,
  qkvBias: false,
  outBias: false,
  mlpBias: false,
  qkNorm: false,
} as ModelConfig;
const lora = { rank: 1, alpha: 2, targets: ['q_proj'] } as const;

test('a model is told with its numbers', () => {
  // 100 · 8, per layer 2 · 8 · 8 + 2 · 8 · 4 + 8 and 3 · 8 · 16 + 8, and the norm of 8.
  expect(modelWords(modelBlocks(config, null), config, null)).toBe(
    '1.99\u202fk parameters in 2 layers of 4 heads. All of them are trained.',
  );
  expect(modelWords(modelBlocks(config, lora), config, lora)).toContain(
    'An adapter of 32 parameters is trained, LoRA of rank 1.',
  );
  expect(blockShape({ kind: 'attention', layer: 0 }, config)).toBe('4 heads of 2, 2 key-value heads');
  expect(blockShape({ kind: 'mlp', layer: 0 }, config)).toBe('8 → 16 → 8');
  expect(blockShape({ kind: 'head', layer: null }, config)).toBe('shares the numbers of the embedding');
});

test('the largest gradient is found', () => {
  const blocks = modelBlocks(config, null);
  const seen = {
    norm: 5,
    blocks: new Map([
      ['1 mlp', 4],
      ['embedding', 3],
    ]),
  };
  expect(gradientWords(blocks, seen, 12)).toBe(
    'The gradient of step 12 had the norm 5. It was largest in the MLP of layer 2, 4: 64% of the sum of squares.',
  );
  expect(gradientWords(blocks, { norm: 0, blocks: new Map() }, 3)).toContain('was 0');
  expect(blockPlace({ kind: 'norm', layer: null })).toBe('the last norm');
});
