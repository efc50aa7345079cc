/**
 * Supervised training before the first step of reinforcement, on demonstrations that the tasks make or on rows of the user's:
 * a model that never writes an answer of the asked form is never paid, and learns nothing from it.
 */
import type { RunConfig } from '../settings/schema/schema.ts';
import { type Sequence, weightsOfWhole } from '@rl-playground/engine/parts';
import { type Engine, negativeLogLikelihood } from '@rl-playground/engine/parts/tensors';
import { sftRate } from '../loop/learningRate.ts';

export interface SftParts {
  readonly config: RunConfig;
  /** The `index`-th sequence to learn from. */
  readonly sequenceAt: (index: number) => Sequence;
  readonly engine: Engine;
}

/**
 * Update number `step` (1 for the first): its sequences follow from the number alone. Resolves to the mean negative log-likelihood of a
 * token of theirs, nats, and their number. Throws before any change when the gradient is not finite.
 */
export async function sftStep(
  step: number,
  { config, sequenceAt, engine }: SftParts,
): Promise<{ loss: number; tokens: number }> {
  const { maxTokens, warmStartBatch: batch } = config;
  const sequences = Array.from({ length: batch }, (_, i) => sequenceAt((step - 1) * batch + i));
  const { loss } = await engine.forwardBackward(sequences, {
    tokenLoss: negativeLogLikelihood,
    weightOf: weightsOfWhole(sequences, 'token_mean', maxTokens),
  });
  await engine.optimStep(sftRate(step, config));
  return { loss, tokens: sequences.reduce((sum, { tokens }) => sum + tokens.length, 0) };
}
