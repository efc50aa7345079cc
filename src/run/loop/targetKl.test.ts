/** The early stop goes by the mean of log q − log p: by its sign too. */
import { expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { drawsFor } from '@rl-playground/base/random';
import { engineBatch } from '@rl-playground/engine/testing/engineBatch';
import { tinyEngines } from '@rl-playground/engine/testing/tinyEngine';
import { trainOnBatch, type BatchOutcome } from '@rl-playground/engine/parts';
import { lossOptions } from './lossOptions.ts';

const engines = tinyEngines();
const TARGET = 1e-3;

/** Makes up to three updates on answers whose log q is the policy’s own, every token with this advantage. */
async function trained(advantage: number): Promise<BatchOutcome> {
  const config: RunConfig = { ...defaultConfig('reverse_digits'), loss: 'reinforce', ppoEpochs: 3 };
  const { engine } = await engines.open();
  const asked = engineBatch(5);
  const { logprobs } = await engine.computeLogprobs(asked, 'policy', { temperature: config.temperature });
  const batch = asked.map(({ promptIds, tokens }, i) => ({
    promptIds,
    tokens,
    samplerLogprobs: logprobs[i] ?? [],
    advantages: tokens.map(() => advantage),
  }));
  return trainOnBatch(batch, {
    engine,
    loss: lossOptions(config),
    plan: config,
    learningRate: 3e-3,
    targetKl: TARGET,
    measurePost: false,
    draw: drawsFor(1),
    onProgress: () => undefined,
  });
}

test('a policy that left the sampler by making its answers likelier trains on', async () => {
  const { updates, updatesSkipped } = await trained(1);
  expect([updates.length, updatesSkipped]).toEqual([3, 0]);
  for (const { klSampleTrainV1, klSampleTrainV2 } of updates.slice(1)) {
    expect(klSampleTrainV1).toBeLessThan(-TARGET);
    expect(klSampleTrainV2).toBeGreaterThan(TARGET);
  }
});

test('one that left it by making them less likely stops', async () => {
  const { updates, updatesSkipped } = await trained(-1);
  expect([updates.length, updatesSkipped]).toEqual([1, 2]);
});
