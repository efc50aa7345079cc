/** Rules on what a run asks. */
import {
  taskConfigErrors,
  findTask,
  MIXTURE,
  taskNameError,
  type TaskConfig,
} from '@rl-playground/tasks/parts';
import type { RunConfig } from '../schema/schema.ts';
import { rule, type Rule } from './rule.ts';

/** The error in a task's settings; null if there is none, or if the task is not known here (yet). */
function settingsError(name: string, config: TaskConfig): string | null {
  const task = findTask(name);
  const errors = task === null ? [] : taskConfigErrors(task, config);
  return errors.length === 0 ? null : errors.join(' ');
}

function partsError(parts: RunConfig['mixture']): ReturnType<Rule['broken']> {
  const names = parts.map(({ task }) => task);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return `${twice} is in it twice; give it one part with the sum of the weights.`;
  for (const [i, { task, config }] of parts.entries()) {
    const unknown = taskNameError(task);
    if (unknown !== null) return { path: [i, 'task'], message: unknown };
    const wrong = settingsError(task, config);
    if (wrong !== null) return { path: [i, 'config'], message: wrong };
  }
  return null;
}

export const TASK_RULES: readonly Rule[] = [
  rule('task', ({ task, mixture }) => {
    if (task !== MIXTURE) return taskNameError(task);
    return mixture.length > 0
      ? null
      : `"${MIXTURE}" needs at least one task in the setting mixture; found none.`;
  }),
  rule('taskConfig', ({ task, taskConfig }) => settingsError(task, taskConfig)),
  rule('mixture', ({ mixture }) => partsError(mixture)),
  rule('evalMixture', ({ evalMixture }) => partsError(evalMixture)),
  rule('rewardLabel', ({ rewardModel, rewardPipeline, rewardLabel }) =>
    rewardModel !== '' && rewardPipeline === 'zero-shot-classification' && rewardLabel === ''
      ? 'zero-shot-classification needs a label; found none. Write one, such as "polite".'
      : null,
  ),
  rule('rewardWeight', ({ rewardModel, rewardWeight, graderWeight }) =>
    rewardModel !== '' && rewardWeight === 0 && graderWeight === 0
      ? '0 beside graderWeight 0 leaves no reward; give one of them another weight.'
      : null,
  ),
  rule('curriculumLower', ({ curriculum, curriculumLower, curriculumRaise }) =>
    curriculum !== 'off' && curriculumLower >= curriculumRaise
      ? `${curriculumLower} is not below curriculumRaise, ${curriculumRaise}; choose less.`
      : null,
  ),
];
