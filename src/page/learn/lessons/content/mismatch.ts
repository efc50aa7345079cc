import { fixed, percent } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';
import { accuracy, chartOf, clipped, greedyOf, greedyRow, meanOf } from './measure.ts';
import { wilson95 } from '@rl-playground/base/intervals';

type Fate = 'learns' | 'loses' | 'unclear';

/** A run learns or loses only if its change exceeds the intervals of both measurements. */
function fateOf(record: ArmRecord): Fate {
  const { before, after } = greedyOf(record);
  const n = record.evaluations[0]?.n ?? 0;
  const [then, now] = [
    before === null ? null : wilson95(before, n),
    after === null ? null : wilson95(after, n),
  ];
  if (then === null || now === null) return 'unclear';
  return now.low > then.high ? 'learns' : now.high < then.low ? 'loses' : 'unclear';
}

const FATES: Readonly<Record<Fate, string>> = {
  learns: 'became better',
  loses: 'became worse',
  unclear: 'did not clearly change',
};

function find(records: readonly ArmRecord[]): Finding {
  const [bare, cured] = records;
  if (bare === undefined || cured === undefined) return { outcome: null, rows: [], said: [] };
  const [fate, curedFate] = [fateOf(bare), fateOf(cured)];
  const [one, two] = [greedyOf(bare), greedyOf(cured)];
  const saved = (two.after ?? 0) > (one.after ?? 0);
  const outcome =
    fate === 'loses'
      ? saved && curedFate !== 'loses'
        ? 'cured'
        : 'both'
      : fate === 'learns'
        ? 'harmless'
        : null;
  return {
    outcome,
    rows: [
      greedyRow(records),
      {
        what: 'Clipped tokens, mean over steps',
        values: records.map(({ metrics }) => percent(meanOf(metrics, clipped), 1)),
      },
      {
        what: 'Largest difference of a token’s log-probability, nats',
        values: records.map(({ metrics }) =>
          fixed(
            metrics.reduce((most, { mismatchMax }) => Math.max(most, mismatchMax ?? 0), 0),
            1,
          ),
        ),
      },
    ],
    said: [
      `Without importance weights the model ${FATES[fate]} (greedy accuracy ${percent(one.before, 0)} → ${percent(one.after, 0)}); with them it ${FATES[curedFate]} (${percent(two.before, 0)} → ${percent(two.after, 0)}).`,
      `The clip stopped ${percent(meanOf(bare.metrics, clipped), 0)} of the tokens in the first run before anything was learned from them, ${percent(meanOf(cured.metrics, clipped), 0)} in the second.`,
    ],
  };
}

const CLIP = 0.02;

export const MISMATCH: Lesson = {
  id: 'mismatch',
  before: [
    'Large systems sample with one program and train with another. The two sum in different orders and precisions, so they give the same token slightly different probabilities.',
    'Both runs make that visible: the sampler gets noise of σ = 1.5 on its logits, far more than any real engine, and the clip is narrow (0.98 to 1.02). In the second run each token has an importance weight: its probability in the trainer divided by its probability in the sampler, at most 2. This is truncated importance sampling.',
    'Both write numbers backwards for 40 steps. Held-out problems are answered without noise.',
  ],
  question: 'How do the two runs end?',
  choices: [
    { id: 'harmless', text: 'Both learn: noise averages out' },
    { id: 'cured', text: 'The first becomes worse, importance weights save the second' },
    { id: 'both', text: 'Both become worse' },
  ],
  task: 'reverse_digits',
  settings: { numSteps: 40, samplerNoise: 1.5, clipLow: CLIP, clipHigh: CLIP },
  arms: [
    { name: 'noise alone', settings: { oldLogprobs: 'sampler', importanceCap: 0 } },
    { name: 'with importance weights', settings: { oldLogprobs: 'trainer', importanceCap: 2 } },
  ],
  charts: [
    chartOf('accuracy', 'accuracy', accuracy, {
      title: 'Accuracy',
      unit: 'share of answers, sampled with noise',
    }),
    chartOf('clipRegion', 'clipped', clipped, { title: 'Clipped tokens', unit: 'share of tokens' }),
  ],
  find,
  why: [
    'The clip stops pushing a token once its probability has moved far from its value at sampling. With a noisy sampler the ratio is wrong before anything was learned: the clip mistakes the error for learning, and drops useful pushes on one side and harmful ones on the other.',
    'With the trainer’s own probabilities the ratio starts at 1 again, and nothing is clipped. The weight corrects for the probabilities that really drew the token. A limit of 2 keeps a few rare tokens from deciding everything.',
    'The chart “Largest difference of a token” shows it for any run; the noise is the setting “Noise in generators”.',
  ],
  document: 'metrics.md',
};
