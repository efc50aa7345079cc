/** Two runs that differ in one thing: a sampler that disagrees with the trainer, with and without what corrects for it. */
import type { RunConfig } from '../schema.ts';
import type { Preset } from './preset.ts';

/** Nats: at 1 learning is slower, at 1.5 the clip undoes it, at 3 the sampler finds nothing to learn from. */
const NOISE = 1.5;

const TASK = 'reverse_digits';

/** `recommended`: the settings of the default preset for a task. */
export function mismatchPresets(
  recommended: (task: string) => Partial<RunConfig>,
): Readonly<Record<'sampler-mismatch' | 'sampler-mismatch-cured', Preset>> {
  return {
    'sampler-mismatch': {
      summary:
        'The recommended settings, but answers are drawn from noisy logits, as if an inference engine computed otherwise than the trainer. The clip takes the noise for learning, and the model gets worse.',
      differences: [],
      task: TASK,
      original: null,
      values: (task) => ({ ...recommended(task), samplerNoise: NOISE }),
    },
    'sampler-mismatch-cured': {
      summary:
        'The same noise, with truncated importance sampling: old probabilities from the trainer, and each token weighed by its ratio to the sampler’s, 2 at most. The model learns as without noise.',
      differences: [],
      task: TASK,
      original: null,
      values: (task) => ({
        ...recommended(task),
        samplerNoise: NOISE,
        oldLogprobs: 'trainer',
        importanceCap: 2,
      }),
    },
  };
}
