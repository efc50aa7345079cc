/** The sampler's log-probabilities are the trainer's: same tokens, same weights, two different paths through the model. */
import { describe, expect, test } from 'vitest';
import { packMicrobatches, type Sequence, type TokenLoss, weightsOfWhole } from '@rl-playground/engine/parts';
import {
  tf,
  createLocalPool,
  ratioOf,
  PLAIN_LOSS,
  tokenLoss,
  Optimizer,
  forwardOnly,
  trainStep,
} from '@rl-playground/engine/parts/tensors';
import { summary, worstDifference } from '@rl-playground/engine/testing/accuracy';
import { contextWith, rolloutWith, trainedWith } from '../testing/stepContext.ts';
import { TINY_KINDS, TINY_POSITIONS, tinyModel, tinyPrompts } from '@rl-playground/engine/testing/tinyModels';
import { stepMetrics } from '../metrics/metrics.ts';

const breathe = (): Promise<void> => Promise.resolve();

/** GRPO with a KL penalty, TRL's bounds. */
const GRPO = tokenLoss({
  ...PLAIN_LOSS,
  loss: 'grpo',
  kl: { estimator: 'k3', beta: 0.1 },
});

export function onPolicySuite(kinds = TINY_KINDS): void {
  describe('sampler and trainer', () => {
    for (const kind of kinds) {
      for (const temperature of [1, 0.7]) {
        test(`agree on every token, ${kind}, T = ${temperature}`, async ({ annotate }) => {
          const model = tinyModel(kind);
          const { config } = model;
          const pool = createLocalPool({ config, stopTokenIds: [5], positions: TINY_POSITIONS });
          await pool.setWeights(0, await model.pool.pack());
          const prompts = tinyPrompts(8);
          const groups = await pool.generate(
            prompts.map((promptIds, problem) => ({ promptIds, samples: 4, seed: 1, step: 1, problem })),
            { temperature, topP: 1, topK: 0, maxTokens: 20, stop: [] },
          );
          pool.dispose();
          const sampled = groups.flatMap(({ completions }, p) =>
            completions.map(({ tokens, logprobs }, g): Sequence => ({
              promptIds: prompts[p] ?? [],
              tokens,
              samplerLogprobs: logprobs,
              advantages: tokens.map(() => g - 1.5),
            })),
          );
          expect(sampled).toHaveLength(32);
          const weightOf = weightsOfWhole(sampled, 'token_mean', 20);
          const options = { policy: model, temperature, breathe };
          const before = await forwardOnly(packMicrobatches(sampled, weightOf, 512), options);
          const largest = Math.max(
            ...sampled.map(({ samplerLogprobs }, i) =>
              worstDifference(before.logprobs[i] ?? [], samplerLogprobs),
            ),
          );

          // The reference is the policy itself, as in the first step of a run.
          const sequences = sampled.map((sequence, i) => ({
            ...sequence,
            referenceLogprobs: before.logprobs[i] ?? [],
          }));
          const microbatches = packMicrobatches(sequences, weightOf, 512);
          expect(microbatches.length).toBeGreaterThan(1);
          const seen: tf.Tensor[] = [];
          const watched: TokenLoss = (inputs) => {
            seen.push(tf.keep(tf.clone(ratioOf(inputs, 'token'))));
            return GRPO(inputs);
          };
          const settings = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
          const optimizer = new Optimizer(model.pool, settings);
          const step = await trainStep(microbatches, 1e-3, { ...options, optimizer, loss: watched });
          let offOne = 0;
          for (const ratios of seen) {
            const values = await ratios.data();
            offOne = Math.max(offOne, worstDifference(values, new Float32Array(values.length).fill(1)));
            ratios.dispose();
          }
          optimizer.dispose();
          model.dispose();

          const context = contextWith(
            sequences.map(({ tokens, samplerLogprobs, referenceLogprobs }, i) =>
              rolloutWith({
                tokens,
                logprobs: Array.from(samplerLogprobs),
                trained: trainedWith({ logprobs: step.logprobs[i] ?? [], referenceLogprobs }),
              }),
            ),
          );
          const { kl, klSampleTrainV1, klSampleTrainV2 } = stepMetrics(context, []);
          const v1 = Math.abs(klSampleTrainV1 ?? NaN);
          const v2 = klSampleTrainV2 ?? NaN;
          await annotate(summary({ logprob: largest, ratio: offOne, v1, v2 }));
          expect(seen).toHaveLength(microbatches.length);
          expect(largest).toBeLessThan(1e-4);
          expect(offOne).toBeLessThan(1e-4);
          expect(v1).toBeLessThan(1e-5);
          expect(v2).toBeLessThan(1e-8);
          expect(kl).toBe(0);
          expect(step.gradNorm).toBeGreaterThan(0);
        });
      }
    }
  });
}
