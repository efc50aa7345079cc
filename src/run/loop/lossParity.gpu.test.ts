/** Small differences of single ops may add up: both backends must learn alike over many steps. */
import { expect, test } from 'vitest';
import { filesAtUrl, packMicrobatches, weightsOfWhole, widened } from '@rl-playground/engine/parts';
import {
  startBackend,
  LanguageModel,
  ModelWeights,
  negativeLogLikelihood,
  Optimizer,
  trainStep,
} from '@rl-playground/engine/parts/tensors';
import { reverseDigits } from '@rl-playground/tasks/parts';
import { summary, worstDifference } from '@rl-playground/engine/testing/accuracy';
import { everyCase, failOnDeviceProblems } from '@rl-playground/engine/testing/gpu';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { demonstrationSequence } from '../sft/demonstrations.ts';

failOnDeviceProblems();

const STEPS = everyCase ? 50 : 25;
const BATCH = 8;

async function lossCurve(backend: 'webgpu' | 'wasm'): Promise<number[]> {
  await startBackend(backend, { wasmPath: '/wasm/' });
  const { config, weights, tokenizer } = await tinyStarter(filesAtUrl('starter', '/models/starter'));
  const policy = new LanguageModel(ModelWeights.fromHuggingFace(config, await widened(weights)), 64);
  const settings = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
  const optimizer = new Optimizer(policy.pool, settings);
  const options = {
    policy,
    optimizer,
    temperature: 1,
    loss: negativeLogLikelihood,
    breathe: () => Promise.resolve(),
  };
  const losses: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    const sequences = Array.from({ length: BATCH }, (_, i) =>
      demonstrationSequence(reverseDigits, reverseDigits.defaults, tokenizer, 'compact', 1, step * BATCH + i),
    );
    const batch = packMicrobatches(sequences, weightsOfWhole(sequences, 'token_mean', 64), 1024);
    losses.push((await trainStep(batch, 0.01, options)).loss);
  }
  optimizer.dispose();
  policy.dispose();
  return losses;
}

test(`${STEPS} supervised steps lose alike on both backends`, async ({ annotate }) => {
  const wasm = await lossCurve('wasm');
  const webgpu = await lossCurve('webgpu');
  const first = wasm[0] ?? NaN;
  const last = wasm.at(-1) ?? NaN;
  const difference = worstDifference(webgpu, wasm);
  await annotate(
    `loss ${first.toFixed(3)} to ${last.toFixed(3)}; ${summary({ 'largest difference': difference })}`,
  );
  expect(last).toBeLessThan(0.7 * first);
  expect(Math.abs((webgpu.at(-1) ?? NaN) / last - 1)).toBeLessThan(0.02);
  expect(difference).toBeLessThan(0.02 * first);
});
