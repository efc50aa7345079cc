/** Metrics of sampling: the tokens sampled and read, and those that came to nothing. An episode is one prompt and one completion: one turn. */
import { greatest, least, meanOrNull } from '@rl-playground/base/statistics';
import type { Rollout } from '../rollouts/rollout.ts';
import { metric, optionalMetric, type StepContext } from './context.ts';
import { completionMean } from './statistics.ts';

const lengths = (rollouts: readonly Rollout[]): number[] => rollouts.map(({ tokens }) => tokens.length);
const cut = ({ stopReason }: Rollout): boolean => stopReason === 'max_tokens';
const terminated = ({ rollouts }: StepContext): number[] =>
  lengths(rollouts.filter((rollout) => !cut(rollout)));
const sum = ({ rollouts }: StepContext, of: 'tokens' | 'promptIds'): number =>
  rollouts.reduce((total, rollout) => total + rollout[of].length, 0);

export const ROLLOUT_METRICS = {
  meanLength: metric('tokens', {
    names: ['env/all/ac_tokens_per_turn', 'completions/mean_length'],
    label: 'Mean length',
    formula: 'completion tokens / completions',
    value: (context) => completionMean(context, ({ tokens }) => tokens.length),
  }),
  minLength: optionalMetric('tokens', {
    names: ['completions/min_length'],
    label: 'Shortest completion',
    formula: 'least number of tokens of a completion',
    value: ({ rollouts }) => least(lengths(rollouts)),
  }),
  maxLength: optionalMetric('tokens', {
    names: ['completions/max_length'],
    label: 'Longest completion',
    formula: 'greatest number of tokens of a completion',
    value: ({ rollouts }) => greatest(lengths(rollouts)),
  }),
  meanTerminatedLength: optionalMetric('tokens', {
    names: ['completions/mean_terminated_length'],
    label: 'Mean length of ended completions',
    formula: 'mean tokens of completions that ended by themselves; 0 if none did, as TRL logs it',
    value: (context) => meanOrNull(terminated(context)) ?? 0,
  }),
  minTerminatedLength: optionalMetric('tokens', {
    names: ['completions/min_terminated_length'],
    label: 'Shortest ended completion',
    formula: 'least tokens of a completion that ended by itself; 0 if none did',
    value: (context) => least(terminated(context)) ?? 0,
  }),
  maxTerminatedLength: optionalMetric('tokens', {
    names: ['completions/max_terminated_length'],
    label: 'Longest ended completion',
    formula: 'greatest tokens of a completion that ended by itself; 0 if none did',
    value: (context) => greatest(terminated(context)) ?? 0,
  }),
  truncated: metric('share', {
    names: ['env/all/truncated', 'completions/clipped_ratio'],
    label: 'Cut by the token budget',
    formula: 'share of completions that ended at the token budget, not by an end token or stop string',
    value: (context) => completionMean(context, (rollout) => Number(cut(rollout))),
  }),
  completions: optionalMetric('completions', {
    names: ['env/all/total_episodes', 'env/all/total_turns'],
    label: 'Completions',
    formula: 'completions that were scored in the step',
    value: ({ rollouts }) => rollouts.length,
  }),
  turnsPerEpisode: optionalMetric('number', {
    names: ['env/all/turns_per_episode'],
    label: 'Turns of an episode',
    formula: '1: an episode is one prompt and one completion',
    value: () => 1,
  }),
  completionTokens: metric('tokens', {
    names: ['env/all/total_ac_tokens'],
    label: 'Completion tokens',
    formula: 'tokens of all completions of the step',
    value: (context) => sum(context, 'tokens'),
  }),
  promptTokens: optionalMetric('tokens', {
    names: ['env/all/total_ob_tokens'],
    label: 'Prompt tokens',
    formula: 'tokens of the prompts of all completions of the step, each counted for each completion',
    value: (context) => sum(context, 'promptIds'),
  }),
  meanPromptLength: optionalMetric('tokens', {
    names: ['env/all/ob_tokens_per_turn'],
    label: 'Mean prompt length',
    formula: 'prompt tokens / completions',
    value: (context) => completionMean(context, ({ promptIds }) => promptIds.length),
  }),
  totalTokens: optionalMetric('tokens', {
    names: ['num_tokens'],
    label: 'Tokens so far',
    formula: 'prompt and completion tokens of all steps so far',
    value: (context) => context.totalTokens,
  }),
} as const;

/** Sampling that came to nothing. */
export const LOST_ROLLOUT_METRICS = {
  groupsRequeued: optionalMetric('groups', {
    names: ['async/groups_requeued'],
    label: 'Groups asked again',
    formula: 'groups of the step that were too old to train on, whose problems were asked again',
    value: (context) => context.groupsRequeued,
  }),
  rolloutErrors: optionalMetric('completions', {
    names: ['rollout_errors/total'],
    label: 'Broken rollouts',
    formula: 'rollouts that broke, in all steps so far',
    value: (context) => context.rolloutErrors,
  }),
  groupsSkipped: optionalMetric('groups', {
    names: ['rollout_errors/groups_skipped'],
    label: 'Groups left out',
    formula: 'groups of which every rollout broke, so that a step went on without them, in all steps so far',
    value: (context) => context.groupsSkipped,
  }),
} as const;
