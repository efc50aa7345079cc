/** Rules between settings. Each names the field to change, the value found and the value needed. */
import { taskConfigErrors } from '../tasks/define.ts';
import { findTask, MIXTURE, taskNameError } from '../tasks/index.ts';
import type { TaskConfig } from '../tasks/types.ts';
import type { FieldKey, RunConfig } from './runFields.ts';

/** Most answers of one step: beyond it a step takes hours in a browser, and its record hundreds of megabytes. */
export const MAX_ROLLOUTS_PER_STEP = 16_384;

export interface Rule {
  readonly field: FieldKey;
  /** The message, or null where the rule holds. */
  broken(config: RunConfig): string | null;
}

/** What is wrong with a task's settings; null where nothing is, or where the task is not known here (yet). */
function settingsError(name: string, config: TaskConfig): string | null {
  const task = findTask(name);
  const errors = task === null ? [] : taskConfigErrors(task, config);
  return errors.length === 0 ? null : errors.join(' ');
}

export const RULES: readonly Rule[] = [
  {
    field: 'task',
    broken: ({ task, mixture }) => {
      if (task !== MIXTURE) return taskNameError(task);
      return mixture.length > 0
        ? null
        : `"${MIXTURE}" needs at least one task in the setting mixture; found none.`;
    },
  },
  {
    field: 'taskConfig',
    broken: ({ task, taskConfig }) => settingsError(task, taskConfig),
  },
  {
    field: 'mixture',
    broken: ({ mixture }) => {
      const names = mixture.map(({ task }) => task);
      const twice = names.find((name, i) => names.indexOf(name) !== i);
      if (twice !== undefined)
        return `${twice} stands in it twice; give it one part with the sum of the weights.`;
      const errors = mixture.map(({ task, config }) => taskNameError(task) ?? settingsError(task, config));
      return errors.find((error) => error !== null) ?? null;
    },
  },
  {
    field: 'curriculumLower',
    broken: ({ curriculum, curriculumLower, curriculumRaise }) =>
      curriculum !== 'off' && curriculumLower >= curriculumRaise
        ? `${curriculumLower} is not below curriculumRaise, ${curriculumRaise}; choose less.`
        : null,
  },
  {
    field: 'baseline',
    broken: ({ algorithm, baseline }) =>
      algorithm === 'grpo' && baseline !== 'group'
        ? `"${baseline}" does not go with GRPO, which compares answers within a group; choose "group", or set algorithm to "reinforce".`
        : null,
  },
  {
    field: 'rolloutsPerProblem',
    broken: ({ oneProblemPerGenerator, rolloutsPerProblem }) =>
      oneProblemPerGenerator && rolloutsPerProblem !== 1
        ? `${rolloutsPerProblem} does not go with oneProblemPerGenerator, where each generator brings one answer; choose 1.`
        : null,
  },
  {
    field: 'rolloutsPerProblem',
    broken: ({ baseline, rolloutsPerProblem }) =>
      baseline === 'group' && rolloutsPerProblem < 2
        ? `${rolloutsPerProblem} leaves nothing to compare within a group; choose at least 2, or another baseline with algorithm "reinforce".`
        : null,
  },
  {
    field: 'problemsPerStep',
    broken: ({ oneProblemPerGenerator, problemsPerStep, rolloutsPerProblem }) => {
      const found = problemsPerStep * rolloutsPerProblem;
      return !oneProblemPerGenerator && found > MAX_ROLLOUTS_PER_STEP
        ? `${problemsPerStep} problems of ${rolloutsPerProblem} answers make ${found} answers per step; choose at most ${MAX_ROLLOUTS_PER_STEP} in all.`
        : null;
    },
  },
  {
    field: 'scaleByStd',
    broken: ({ scaleByStd, baseline }) =>
      scaleByStd && baseline !== 'group'
        ? `true needs groups to take a standard deviation of, but baseline is "${baseline}"; choose false, or baseline "group".`
        : null,
  },
];
