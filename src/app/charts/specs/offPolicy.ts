/** Charts of how far training is from the policy that sampled its answers. */
import { KL_LINE, klCause } from '../../../rl/diagnosis/klCause.ts';
import { fixed, percent } from '../../format/format.ts';
import { curvesOf, PLAIN, type ChartGroup } from './spec.ts';

const LEVEL = { value: KL_LINE, label: `stable runs stay below ${KL_LINE}` } as const;

export const OFF_POLICY_CHARTS: ChartGroup = {
  charts: [
    {
      id: 'kl-sample-train',
      title: 'Sampler against trainer',
      unit: 'nats per token',
      reading:
        'How differently generators and trainer rate the same tokens: v1 is the mean difference of log-probabilities, v2 half the mean of its square. On-policy both are rounding noise.',
      ...curvesOf({ klSampleTrainV1: 'v1', klSampleTrainV2: 'v2' }),
      ...PLAIN,
      range: [null, null],
      level: LEVEL,
      remark: (metrics, config) => {
        const cause = config === null ? null : klCause(metrics, config);
        return cause === null ? null : { spoken: `${cause.title}.`, text: cause.text };
      },
    },
    {
      id: 'kl-by-update',
      title: 'Sampler against trainer, by update',
      unit: 'nats per token',
      reading: 'Before the step’s own updates moved the policy, and the furthest after.',
      ...curvesOf({ klFirstUpdateV2: 'first update, v2', klLaterUpdatesV2: 'later updates, v2' }),
      ...PLAIN,
      worthwhile: ({ klLaterUpdatesV2 }) => klLaterUpdatesV2 !== null,
      level: LEVEL,
    },
    {
      id: 'kl-pre-post',
      title: 'KL of the update',
      unit: 'nats per token',
      reading: 'How far all updates of a step moved the policy from the answers they learned from.',
      ...curvesOf({ klPrePostV1: 'v1', klPrePostV2: 'v2' }),
      ...PLAIN,
      range: [null, null],
    },
    {
      id: 'clip',
      title: 'Clipped tokens',
      unit: 'share of tokens',
      reading: 'Tokens whose probability fell or rose so far that this batch pushes them no further.',
      ...curvesOf({ clipLow: 'low', clipHigh: 'high' }),
      ...PLAIN,
      format: (value) => percent(value, 2),
      tick: (value) => percent(value, 2),
    },
    {
      id: 'policy-age',
      title: 'Policy age',
      unit: 'updates behind',
      reading: 'How old the weights were that sampled the answers of the step; zero is on-policy.',
      ...curvesOf({ policyAgeMean: 'mean', policyAgeMin: 'least', policyAgeMax: 'greatest' }),
      ...PLAIN,
      range: [0, 1],
      format: (value) => fixed(value, 1),
    },
    {
      id: 'lost-work',
      title: 'Lost work',
      unit: 'groups, answers',
      reading:
        'Groups that were too old to learn from and are asked again, and answers that broke, in all so far.',
      ...curvesOf({ groupsRequeued: 'groups asked again', rolloutErrors: 'answers broken so far' }),
      ...PLAIN,
      range: [0, 1],
      worthwhile: ({ groupsRequeued, rolloutErrors }) => (groupsRequeued ?? 0) + (rolloutErrors ?? 0) > 0,
    },
  ],
};
