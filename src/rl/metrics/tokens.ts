/** How much was sampled and read. An episode is one prompt and one completion: one turn. */
import type { StepContext } from './context.ts';
import { metric, optionalMetric } from './metric.ts';
import { completionMean } from './statistics.ts';

const sum = ({ rollouts }: StepContext, of: 'tokens' | 'promptIds'): number =>
  rollouts.reduce((total, rollout) => total + rollout[of].length, 0);

export const completionTokens = metric({
  key: 'completionTokens',
  names: ['env/all/total_ac_tokens'],
  label: 'Completion tokens',
  unit: 'tokens',
  formula: 'tokens of all completions of the step',
  value: (context) => sum(context, 'tokens'),
});

export const promptTokens = optionalMetric({
  key: 'promptTokens',
  names: ['env/all/total_ob_tokens'],
  label: 'Prompt tokens',
  unit: 'tokens',
  formula: 'tokens of the prompts of all completions of the step, each counted for each completion',
  value: (context) => sum(context, 'promptIds'),
});

export const meanPromptLength = optionalMetric({
  key: 'meanPromptLength',
  names: ['env/all/ob_tokens_per_turn'],
  label: 'Mean prompt length',
  unit: 'tokens',
  formula: 'prompt tokens / completions',
  value: (context) => completionMean(context, ({ promptIds }) => promptIds.length),
});

export const totalTokens = optionalMetric({
  key: 'totalTokens',
  names: ['num_tokens'],
  label: 'Tokens so far',
  unit: 'tokens',
  formula: 'prompt and completion tokens of all steps so far',
  value: (context) => context.totalTokens,
});

export const completions = optionalMetric({
  key: 'completions',
  names: ['env/all/total_episodes', 'env/all/total_turns'],
  label: 'Completions',
  unit: 'completions',
  formula: 'completions that were scored in the step',
  value: ({ rollouts }) => rollouts.length,
});

export const turnsPerEpisode = optionalMetric({
  key: 'turnsPerEpisode',
  names: ['env/all/turns_per_episode'],
  label: 'Turns of an episode',
  unit: 'number',
  formula: '1: an episode is one prompt and one completion',
  value: () => 1,
});
