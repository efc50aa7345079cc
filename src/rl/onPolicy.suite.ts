/** The sampler's log-probabilities are the trainer's: same tokens, same weights, two different paths through the model. */
import { describe, expect, test } from 'vitest';
import { createLocalPool } from '../rollout/localPool.ts';
import { summary, worstDifference } from '../testing/accuracy.ts';
import { TINY_KINDS, TINY_POSITIONS, tinyModel, tinyPrompts } from '../testing/tinyModels.ts';
import { packMicrobatches } from './batch.ts';
import { lossOf } from './losses.ts';
import { Optimizer } from './optimizer.ts';
import { trainStep } from './trainer.ts';

const breathe = (): Promise<void> => Promise.resolve();

export function onPolicySuite(): void {
  describe('sampler and trainer', () => {
    for (const kind of TINY_KINDS) {
      for (const temperature of [1, 0.7]) {
        test(`agree on every token, ${kind}, T = ${temperature}`, async ({ annotate }) => {
          const model = tinyModel(kind);
          const { config } = model;
          const pool = createLocalPool({ config, stopTokenIds: [5], positions: TINY_POSITIONS });
          await pool.setWeights(0, await model.weights.pack());
          const prompts = tinyPrompts(8);
          const groups = await pool.generate(
            prompts.map((promptIds, problem) => ({ promptIds, samples: 4, seed: 1, step: 1, problem })),
            { temperature, topP: 1, topK: 0, maxTokens: 20, stop: [] },
          );
          pool.dispose();
          const sequences = groups.flatMap(({ completions }, p) =>
            completions.map(({ tokens, logprobs }, g) => ({
              promptIds: prompts[p] ?? [],
              tokens,
              samplerLogprobs: logprobs,
              advantage: g - 1.5,
            })),
          );
          const microbatches = packMicrobatches(sequences, 'token_mean', 512);
          expect(microbatches.length).toBeGreaterThan(1);
          let largest = 0;
          for (const microbatch of microbatches) {
            const state = await model.forward(microbatch, breathe, { forBackward: false });
            const { logprob, entropy } = model.logprobs(state, temperature);
            const inLoss = [...microbatch.weights.keys()].filter((i) => microbatch.weights[i] !== 0);
            const values = await logprob.data();
            largest = Math.max(largest, worstDifference(values, microbatch.samplerLogprobs, inLoss));
            model.release(state);
            logprob.dispose();
            entropy.dispose();
          }
          const settings = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
          const optimizer = new Optimizer(model.weights, settings);
          const loss = lossOf({ algorithm: 'grpo', klBeta: 0.1 });
          const options = { policy: model, reference: model, optimizer, temperature, loss, breathe };
          const step = await trainStep(microbatches, 1e-3, options);
          optimizer.dispose();
          model.dispose();
          const v1 = Math.abs(step.klSampleTrainV1);
          await annotate(summary({ logprob: largest, v1, v2: step.klSampleTrainV2 }));
          expect(largest).toBeLessThan(1e-4);
          expect(v1).toBeLessThan(1e-5);
          expect(step.klSampleTrainV2).toBeLessThan(1e-8);
          expect(step.kl).toBe(0);
          expect(step.gradNorm).toBeGreaterThan(0);
        });
      }
    }
  });
}
