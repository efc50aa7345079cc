/** Two runs that differ in one thing: a sampler that disagrees with the trainer, with and without what corrects for it. */
import type { RunConfig } from '../schema/schema.ts';
import type { Preset } from './preset.ts';

/** Standard deviation, nats, where the clip undoes learning and answers are still good enough to learn from. At 1.2 learning is only slower. */
const NOISE = 1.5;

/** ε, narrow: without a mismatch nothing is clipped in the one update of a step, and with it what is rated 2 % differently is. */
const EPSILON = 0.02;

const TASK = 'reverse_digits';

/** `recommended`: the settings of the default preset for a task. */
export function mismatchPresets(
  recommended: (task: string) => Partial<RunConfig>,
): Readonly<Record<'sampler-mismatch' | 'sampler-mismatch-cured', Preset>> {
  const mismatch = (task: string): Partial<RunConfig> => ({
    ...recommended(task),
    samplerNoise: NOISE,
    clipLow: EPSILON,
    clipHigh: EPSILON,
  });
  return {
    'sampler-mismatch': {
      summary:
        'The recommended settings with a narrow clip, but answers are drawn from noisy logits, as if an inference engine computed differently from the trainer. The clip mistakes the noise for learning, and the model gets worse.',
      differences: [],
      task: TASK,
      original: null,
      values: mismatch,
    },
    'sampler-mismatch-cured': {
      summary:
        'The same noise, with truncated importance sampling: old probabilities from the trainer, and each token weighted by its ratio to the sampler’s, at most 2. The model learns as it does without noise.',
      differences: [],
      task: TASK,
      original: null,
      values: (task) => ({
        ...mismatch(task),
        oldLogprobs: 'trainer',
        importanceCap: 2,
      }),
    },
  };
}
