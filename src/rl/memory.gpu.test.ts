/** Steps of varied lengths must not gather buffers: what is idle for two steps goes back. */
import { expect, test } from 'vitest';
import { gpuBytes } from '../backend/memory.ts';
import { startBackend } from '../backend/start.ts';
import { drawsFor, uniformInt } from '../tasks/random.ts';
import { failOnDeviceProblems } from '../testing/gpu.ts';
import { tinyModel } from '../testing/tinyModels.ts';
import { packMicrobatches } from './batch.ts';
import { lossOf } from './losses.ts';
import { Optimizer } from './optimizer.ts';
import { trainStep } from './trainer.ts';

await startBackend('webgpu');
failOnDeviceProblems();

test('long answers leave no GPU memory behind', async () => {
  const policy = tinyModel('gqa');
  const settings = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
  const optimizer = new Optimizer(policy.weights, settings);
  const options = {
    policy,
    reference: null,
    optimizer,
    temperature: 1,
    loss: lossOf({ algorithm: 'grpo', klBeta: 0 }),
    breathe: () => Promise.resolve(),
  };
  const draw = drawsFor(Date.now());
  const step = async (longest: number): Promise<void> => {
    const sequences = Array.from({ length: uniformInt(draw, 2, 9) }, () => {
      const tokens = Array.from({ length: uniformInt(draw, 1, longest) }, () => uniformInt(draw, 0, 28));
      return { promptIds: [1, 2, 3], tokens, samplerLogprobs: tokens.map(() => -3), advantage: draw() - 0.5 };
    });
    await trainStep(packMicrobatches(sequences, 'token_mean', 256), 1e-4, options);
  };
  /** Two steps of one shape leave what such a step needs, whatever came before. */
  const settled = async (): Promise<number> => {
    const same = [1, 1, 1].map(() => ({
      promptIds: [1, 2, 3],
      tokens: Array.from({ length: 9 }, (_, i) => i),
      samplerLogprobs: Array.from({ length: 9 }, () => -3),
      advantage: 0.5,
    }));
    for (let i = 0; i < 3; i++) await trainStep(packMicrobatches(same, 'token_mean', 256), 1e-4, options);
    return gpuBytes() ?? NaN;
  };
  for (let i = 0; i < 10; i++) await step(4);
  const early = await settled();
  for (let i = 0; i < 30; i++) await step(60);
  const late = await settled();
  optimizer.dispose();
  policy.dispose();
  expect(early).toBeGreaterThan(0);
  // Tables that grow with the longest length stay; without the trim the difference is a factor of three.
  expect(late / early).toBeLessThan(1.1);
}, 120_000);
