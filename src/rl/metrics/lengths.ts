/** Tokens of completions: all of them, and those that ended by themselves. */
import type { MeasuredRollout, StepContext } from './context.ts';
import { metric, optionalMetric } from './metric.ts';
import { completionMean, greatest, least, mean } from './statistics.ts';

const lengths = (rollouts: readonly MeasuredRollout[]): number[] =>
  rollouts.map(({ tokens }) => tokens.length);
const cut = ({ stopReason }: MeasuredRollout): boolean => stopReason === 'max_tokens';
const terminated = ({ rollouts }: StepContext): number[] =>
  lengths(rollouts.filter((rollout) => !cut(rollout)));

export const meanLength = metric({
  key: 'meanLength',
  names: ['env/all/ac_tokens_per_turn', 'completions/mean_length'],
  label: 'Mean length',
  unit: 'tokens',
  formula: 'completion tokens / completions',
  value: (context) => completionMean(context, ({ tokens }) => tokens.length),
});

export const minLength = optionalMetric({
  key: 'minLength',
  names: ['completions/min_length'],
  label: 'Shortest completion',
  unit: 'tokens',
  formula: 'least number of tokens of a completion',
  value: ({ rollouts }) => least(lengths(rollouts)),
});

export const maxLength = optionalMetric({
  key: 'maxLength',
  names: ['completions/max_length'],
  label: 'Longest completion',
  unit: 'tokens',
  formula: 'greatest number of tokens of a completion',
  value: ({ rollouts }) => greatest(lengths(rollouts)),
});

export const meanTerminatedLength = optionalMetric({
  key: 'meanTerminatedLength',
  names: ['completions/mean_terminated_length'],
  label: 'Mean length of ended completions',
  unit: 'tokens',
  formula: 'mean tokens of completions that ended by themselves; 0 if none did, as TRL logs it',
  value: (context) => mean(terminated(context)) ?? 0,
});

export const minTerminatedLength = optionalMetric({
  key: 'minTerminatedLength',
  names: ['completions/min_terminated_length'],
  label: 'Shortest ended completion',
  unit: 'tokens',
  formula: 'least tokens of a completion that ended by itself; 0 if none did',
  value: (context) => least(terminated(context)) ?? 0,
});

export const maxTerminatedLength = optionalMetric({
  key: 'maxTerminatedLength',
  names: ['completions/max_terminated_length'],
  label: 'Longest ended completion',
  unit: 'tokens',
  formula: 'greatest tokens of a completion that ended by itself; 0 if none did',
  value: (context) => greatest(terminated(context)) ?? 0,
});

export const truncated = metric({
  key: 'truncated',
  names: ['env/all/truncated', 'completions/clipped_ratio'],
  label: 'Cut by the token budget',
  unit: 'share',
  formula: 'share of completions that ended at the token budget, not by an end token or stop string',
  value: (context) => completionMean(context, (rollout) => Number(cut(rollout))),
});
