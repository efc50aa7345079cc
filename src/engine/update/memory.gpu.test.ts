/** Steps of varied lengths must not gather buffers: what is idle for two steps goes back. */
import { expect, test } from 'vitest';
import { gpuBytes } from '../backend/memory.ts';
import { startBackend } from '../backend/start.ts';
import { drawsFor, uniformInt } from '@rl-playground/base/random';
import { freshInputs } from '../kernels/testing/random.ts';
import { everyCase, failOnDeviceProblems } from '../testing/gpu.ts';
import { tinyModel } from '../testing/tinyModels.ts';
import type { Sequence } from '../loss/sequence.ts';
import { packMicrobatches } from './batch.ts';
import { PLAIN_LOSS, tokenLoss } from '../loss/losses.ts';
import { Optimizer } from './optimizer.ts';
import { weightsOfWhole } from '../loss/reduction.ts';
import { trainStep } from './trainer.ts';

await startBackend('webgpu');
failOnDeviceProblems();

test('long answers leave no GPU memory behind', async () => {
  const policy = tinyModel('gqa');
  const settings = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
  const optimizer = new Optimizer(policy.pool, settings);
  const options = {
    policy,
    optimizer,
    temperature: 1,
    loss: tokenLoss({
      ...PLAIN_LOSS,
      loss: 'grpo',
      kl: { estimator: 'k3', beta: 0.01 },
    }),
    breathe: () => Promise.resolve(),
  };
  const { seed } = freshInputs();
  const draw = drawsFor(seed);
  const update = (sequences: readonly Sequence[]) =>
    trainStep(packMicrobatches(sequences, weightsOfWhole(sequences, 'token_mean', 60), 256), 1e-4, options);
  const step = async (longest: number): Promise<void> => {
    const sequences = Array.from({ length: uniformInt(draw, 2, 9) }, () => {
      const tokens = Array.from({ length: uniformInt(draw, 1, longest) }, () => uniformInt(draw, 0, 28));
      const advantage = draw() - 0.5;
      return {
        promptIds: [1, 2, 3],
        tokens,
        samplerLogprobs: tokens.map(() => -3),
        referenceLogprobs: tokens.map(() => -3),
        advantages: tokens.map(() => advantage),
      };
    });
    await update(sequences);
  };
  /** Two steps of one shape leave what such a step needs, whatever came before. */
  const settled = async (): Promise<number> => {
    const same = [1, 1, 1].map(() => ({
      promptIds: [1, 2, 3],
      tokens: Array.from({ length: 9 }, (_, i) => i),
      samplerLogprobs: Array.from({ length: 9 }, () => -3),
      advantages: Array.from({ length: 9 }, () => 0.5),
    }));
    for (let i = 0; i < 3; i++) await update(same);
    return gpuBytes() ?? NaN;
  };
  for (let i = 0; i < 3; i++) await step(4);
  const early = await settled();
  for (let i = 0; i < (everyCase ? 30 : 5); i++) await step(60);
  const late = await settled();
  optimizer.dispose();
  policy.dispose();
  expect(early).toBeGreaterThan(0);
  expect(late, `seed ${seed}`).toBe(early);
});
