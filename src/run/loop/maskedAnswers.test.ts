/** Answers that are left out of an update: they move nothing, and count among the sequences alone. */
import { expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { drawsFor } from '@rl-playground/base/random';
import { relativeError } from '@rl-playground/engine/testing/accuracy';
import { engineBatch } from '@rl-playground/engine/testing/engineBatch';
import { tinyEngines } from '@rl-playground/engine/testing/tinyEngine';
import { type Sequence, trainOnBatch } from '@rl-playground/engine/parts';
import { lossOptions } from './lossOptions.ts';

const engines = tinyEngines();
const BATCH = engineBatch(7, 6);
const MASKED = 2;
const KEPT = BATCH.slice(MASKED);
const withMask: Sequence[] = BATCH.map((sequence, i) => ({ ...sequence, masked: i < MASKED }));

/** One update: its record, the weights after it, and what it saw. */
async function update(batch: readonly Sequence[], lossReduction: RunConfig['lossReduction'], klBeta = 0) {
  const config: RunConfig = { ...defaultConfig('reverse_digits'), loss: 'grpo', lossReduction, klBeta };
  const { engine } = await engines.open({ settings: { microBatchTokens: 64 } });
  const { updates, trained } = await trainOnBatch(batch, {
    engine,
    loss: lossOptions(config),
    plan: config,
    learningRate: 0.01,
    targetKl: 0,
    measurePost: false,
    draw: drawsFor(1),
    onProgress: () => undefined,
  });
  const [{ loss, gradNorm, klSampleTrainV1, tokens } = { loss: NaN, gradNorm: NaN, tokens: NaN }] = updates;
  const weights = await engine.policy.pool.pack();
  return { loss, gradNorm, klSampleTrainV1, tokens, trained, weights };
}

test.each(['sum', 'token_mean', 'minibatch_token_mean'] as const)(
  '%s is what it is without them',
  async (reduction) => {
    const [masked, without] = [await update(withMask, reduction, 0.1), await update(KEPT, reduction, 0.1)];
    expect(masked.loss).toBeCloseTo(without.loss, 5);
    expect(relativeError(masked.weights, without.weights)).toBeLessThan(1e-6);
    expect(masked.klSampleTrainV1).toBeCloseTo(without.klSampleTrainV1 ?? NaN, 6);
    expect(masked.tokens).toBe(KEPT.reduce((sum, { tokens }) => sum + tokens.length, 0));
    expect(masked.trained.map((each) => each?.counted)).toEqual(BATCH.map((_, i) => i >= MASKED));
  },
);

test.each(['sequence_sum', 'sequence_mean', 'max_length'] as const)(
  '%s divides by their number too',
  async (reduction) => {
    const [masked, without] = [await update(withMask, reduction), await update(KEPT, reduction)];
    const share = KEPT.length / BATCH.length;
    expect(masked.loss).toBeCloseTo(share * without.loss, 5);
    expect(masked.gradNorm / without.gradNorm).toBeCloseTo(share, 4);
  },
);

test('a batch of nothing else has neither loss nor gradient', async () => {
  for (const reduction of ['sum', 'token_mean', 'minibatch_token_mean', 'sequence_mean'] as const) {
    const all = await update(
      BATCH.map((sequence) => ({ ...sequence, masked: true })),
      reduction,
      0.1,
    );
    expect([all.loss, all.gradNorm, all.tokens]).toEqual([0, 0, 0]);
  }
});
