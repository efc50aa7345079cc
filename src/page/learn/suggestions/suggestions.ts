/** Changes of the settings that are worth a try. */
import { defaultConfig, type FieldKey, type RunConfig } from '@rl-playground/run/settings';
import { withValue } from '../../run/form/formChanges.ts';

export interface Suggestion {
  readonly title: string;
  /** The effect of the change, in a few words. */
  readonly note: string;
  /** The settings that it changes; the page leads to the first. */
  readonly keys: readonly [FieldKey, ...FieldKey[]];
  readonly changes: (form: RunConfig) => Partial<RunConfig>;
}

export const SUGGESTIONS: readonly Suggestion[] = [
  {
    title: 'Learning rate × 30',
    note: 'ruins a run',
    keys: ['learningRate'],
    changes: ({ task, preset }) => ({ learningRate: defaultConfig(task, preset).learningRate * 30 }),
  },
  {
    title: 'Only 2 answers per problem',
    note: 'both often score the same',
    keys: ['rolloutsPerProblem'],
    changes: () => ({ rolloutsPerProblem: 2 }),
  },
  {
    title: 'REINFORCE in place of GRPO',
    note: 'compares answers with a moving average, not with each other',
    keys: ['loss', 'baseline'],
    changes: () => ({ loss: 'reinforce', baseline: 'moving' }),
  },
];

/** The settings with those of a suggestion, and with what these need beside them. */
export function withSuggestion(form: RunConfig, { keys, changes }: Suggestion): RunConfig {
  const values = changes(form);
  return keys.reduce((now, key) => withValue(now, key, values[key] ?? now[key]), form);
}
