/** Models whose matrices are GGUF's blocks: every number is that of the same base in f32, to the bit, and gradients of LoRA those of float64. */
import { expect, test } from 'vitest';
import type { BlockFormat } from '../kernels/blockFormats/blockFormats.ts';
import { freshInputs, type RandomInputs } from '../kernels/testing/random.ts';
import { randomAdapterPool, randomPool } from '../testing/adaptedModels.ts';
import { referenceLogits } from '../testing/decoderReference.ts';
import { BLOCK_CONFIG, mixedFormat, storedInBlocks } from '../testing/frozenBases.ts';
import { adapterGradients, valuesOf } from '../testing/frozenModels.ts';
import { Adapter, packPeft } from './adapter.ts';
import type { ModelConfig } from './config.ts';
import { FrozenBase } from './frozenBase.ts';
import { LanguageModel } from './languageModel.ts';
import { adapterSpecs, loraScale, type LoraSettings } from './lora.ts';
import { LAYER_TARGETS } from './loraTargets.ts';
import { storedInMemory } from './storedWeights.ts';
import { requiredTensor, unpackArrays, type WeightArrays } from './weights.ts';

const POSITIONS = 16;
const LORA: LoraSettings = { rank: 3, alpha: 5, targets: LAYER_TARGETS };

const sequenceOf = (random: RandomInputs): Float64Array => Float64Array.from(random.ints(12, 40));

async function wideCopy(base: FrozenBase): Promise<{ base: FrozenBase; values: WeightArrays }> {
  const values = await base.toHuggingFace();
  return { base: await FrozenBase.load(base.config, storedInMemory(values), 'f32'), values };
}

/** The mean cross-entropy of a sequence in float64, with an adapter merged into the weights. */
function exactLoss(
  model: ModelConfig,
  values: WeightArrays,
  factors: Float64Array,
  ids: Float64Array,
): number {
  const merged = new Map<string, { data: Float64Array }>();
  for (const [name, { data }] of values) merged.set(name, { data: Float64Array.from(data) });
  for (const { module, a, b } of adapterSpecs(model, LORA)) {
    const { data } = requiredTensor(merged, `${module}.weight`);
    const [inputs, rank] = a.shape;
    const [, outputs] = b.shape;
    for (let out = 0; out < outputs; out++)
      for (let i = 0; i < inputs; i++)
        for (let k = 0; k < rank; k++)
          data[out * inputs + i] =
            (data[out * inputs + i] ?? NaN) +
            loraScale(LORA) *
              (factors[a.offset + i * rank + k] ?? NaN) *
              (factors[b.offset + k * outputs + out] ?? NaN);
  }
  const logits = referenceLogits(model, merged, [...ids].slice(0, -1));
  const losses = logits.map((row, t) => {
    const top = Math.max(...row);
    const sum = row.reduce((total, logit) => total + Math.exp(logit - top), 0);
    return Math.log(sum) + top - (row[ids[t + 1] ?? 0] ?? NaN);
  });
  return losses.reduce((total, loss) => total + loss, 0) / losses.length;
}

/** A step along the direction, in both ways, that leaves 1e-8 of the third derivative. */
const STEP = 1e-3;

export function blockBaseSuite(formats: readonly BlockFormat[]): void {
  test.each([...formats, 'mixed'] as const)(
    '%s: log-probabilities and gradients of LoRA are those of the base in f32 and of float64',
    async (format) => {
      const random = freshInputs();
      const model = BLOCK_CONFIG;
      const arrays = unpackArrays(model, randomPool(model, random));
      const stored = storedInBlocks(
        arrays,
        (name) => (format === 'mixed' ? mixedFormat(name) : format),
        random,
      );
      const base = await FrozenBase.load(model, stored, 'auto');
      const { base: wide, values } = await wideCopy(base);
      const ids = sequenceOf(random);
      const factors = randomAdapterPool(model, LORA, random);
      const found = await Promise.all(
        [base, wide].map(async (weights) => {
          const adapter = new Adapter(model, LORA, factors);
          const trained = new LanguageModel(weights, POSITIONS, adapter);
          const { logprobs } = await valuesOf(trained, ids, 1);
          const gradients = await adapterGradients(trained, adapter, [ids]);
          trained.dispose({ keepWeights: true });
          return { logprobs, gradients };
        }),
      );
      const [blocks, single] = found;
      expect(blocks?.logprobs).toEqual(single?.logprobs);
      expect(blocks?.gradients).toEqual(single?.gradients);

      const gradient = packPeft(model, LORA, blocks?.gradients ?? new Map());
      const direction = Float64Array.from(random.floats(factors.length, 0.05));
      const moved = (by: number): number =>
        exactLoss(
          model,
          values,
          Float64Array.from(factors, (x, i) => x + by * (direction[i] ?? NaN)),
          ids,
        );
      const slope = (moved(STEP) - moved(-STEP)) / (2 * STEP);
      const terms = direction.map((x, i) => x * (gradient[i] ?? NaN));
      const size = Math.hypot(...terms);
      const expected = terms.reduce((sum, term) => sum + term, 0);
      expect(Math.abs(slope - expected) / size, `seed ${random.seed}`).toBeLessThan(1e-3);
      for (const each of [base, wide]) each.dispose();
    },
  );

  test('each map of a matrix keeps its own blocks, and another thread gets the same bytes', async () => {
    const random = freshInputs();
    const model = BLOCK_CONFIG;
    const stored = storedInBlocks(unpackArrays(model, randomPool(model, random)), mixedFormat, random);
    const base = await FrozenBase.load(model, stored, 'auto');
    expect(base.formats['model.layers.0.self_attn.qkv_proj.weight']).toEqual([
      { rows: 256, format: 'q4_k' },
      { rows: 64, format: 'q5_0' },
      { rows: 64, format: 'q6_k' },
    ]);
    const copy = await FrozenBase.copied(model, base.formats, base);
    expect([...(await copy.toHuggingFace())]).toEqual([...(await base.toHuggingFace())]);
    for (const each of [base, copy]) each.dispose();
  });

  test('maps that begin where no block may begin are widened', async () => {
    const random = freshInputs();
    const model = { ...BLOCK_CONFIG, kvHeads: 2 };
    const stored = storedInBlocks(unpackArrays(model, randomPool(model, random)), mixedFormat, random);
    const base = await FrozenBase.load(model, stored, 'auto');
    expect(base.formats['model.layers.0.self_attn.qkv_proj.weight']).toEqual([{ rows: 320, format: 'f32' }]);
    base.dispose();
  });
}
