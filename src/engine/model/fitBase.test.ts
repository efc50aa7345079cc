import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { randomPool } from '../testing/adaptedModels.ts';
import { referenceLogits } from '../testing/decoderReference.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { parseModelConfig } from './config.ts';
import { fitBase } from './fitBase.ts';
import { FrozenBase } from './frozenBase.ts';
import { storedInMemory } from './storedWeights.ts';
import { unpackArrays } from './weights.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

const model = parseModelConfig({
  model_type: 'llama',
  num_hidden_layers: 2,
  hidden_size: 32,
  intermediate_size: 64,
  vocab_size: 24,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  tie_word_embeddings: true,
});

const nothing = async (): Promise<void> => undefined;

test('a base that is fitted to sequences says what the exact model says, more than a rounded one does', async () => {
  const random = freshInputs();
  const exact = unpackArrays(model, randomPool(model, random));
  const stored = storedInMemory(exact);
  const sequences = Array.from({ length: 40 }, (_, i) => [...random.ints(8 + (i % 5), model.vocabSize)]);
  const others = Array.from({ length: 4 }, () => [...random.ints(12, model.vocabSize)]);
  const lost = async (base: FrozenBase): Promise<number> => {
    const values = await base.toHuggingFace();
    let sum = 0;
    for (const ids of others) {
      const wanted = referenceLogits(model, exact, ids);
      for (const [t, row] of referenceLogits(model, values, ids).entries())
        for (const [v, logit] of row.entries()) sum += (logit - (wanted[t]?.[v] ?? NaN)) ** 2;
    }
    return sum;
  };
  const base = await FrozenBase.load(model, stored, 'q4');
  const before = await lost(base);
  const again = await FrozenBase.load(model, stored, 'q4');
  await fitBase(base, stored, sequences, nothing);
  await fitBase(again, stored, sequences, nothing);
  const after = await lost(base);
  expect(after / before, `seed ${random.seed}`).toBeLessThan(0.6);
  expect([...(await again.toHuggingFace())]).toEqual([...(await base.toHuggingFace())]);
  base.dispose();
  again.dispose();
});
