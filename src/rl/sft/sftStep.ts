/**
 * Supervised training before the first step of reinforcement, on demonstrations that the tasks make or on rows of a person's:
 * a model that never writes an answer of the asked form is never paid, and learns nothing from it.
 */
import type { RunConfig } from '../../config/schema.ts';
import type { Renderer } from '../../hub/renderers/index.ts';
import type { PromptStyle } from '../../tasks/types.ts';
import type { MixTask } from '../loop/taskMix.ts';
import type { Sequence } from '../update/batch.ts';
import { weightsOfWhole } from '../loss/reduction.ts';
import type { Engine } from '../engine/engine.ts';
import { negativeLogLikelihood } from '../loss/losses.ts';
import { askedDemonstration } from './demonstrations.ts';
import { sftRate } from './sftRate.ts';

/** Added to the run's seed: problems shown with an answer come from another stream than those that reinforcement asks. */
const DEMONSTRATION_SEEDS = 2 ** 40;

export interface SftParts {
  readonly config: RunConfig;
  /** The `index`-th sequence to learn from. */
  readonly sequenceAt: (index: number) => Sequence;
  readonly engine: Engine;
}

/** The `index`-th demonstration of what a run asks. */
export function demonstrationStream({
  config,
  tasks,
  renderer,
  promptStyle,
}: {
  readonly config: RunConfig;
  readonly tasks: readonly MixTask[];
  readonly renderer: Renderer;
  readonly promptStyle: PromptStyle;
}): (index: number) => Sequence {
  const { maxTokens } = config;
  const seed = DEMONSTRATION_SEEDS + config.seed;
  return (index) => askedDemonstration(tasks, renderer, promptStyle, { seed, maxTokens }, index);
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
