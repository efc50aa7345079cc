/** Rules between settings. Each names the field to change, the value found and the value needed. */
import type { FieldKey, RunConfig } from './runFields.ts';

/** Most answers of one step: beyond it a step takes hours in a browser, and its record hundreds of megabytes. */
export const MAX_ROLLOUTS_PER_STEP = 16_384;

export interface Rule {
  readonly field: FieldKey;
  /** The message, or null where the rule holds. */
  broken(config: RunConfig): string | null;
}

export const RULES: readonly Rule[] = [
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
