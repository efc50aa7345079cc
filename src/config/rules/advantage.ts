/** Rules on groups and what is made of their rewards. */
import { LOSSES } from '../losses.ts';
import { comparesWithinGroups } from '../settings/advantage.ts';
import type { Rule } from './rule.ts';

/** Most answers of one step: beyond it a step takes hours in a browser, and its record hundreds of megabytes. */
export const MAX_ROLLOUTS_PER_STEP = 16_384;

export const ADVANTAGE_RULES: readonly Rule[] = [
  {
    field: 'baseline',
    broken: ({ loss, baseline }) =>
      LOSSES[loss].comparesWithinGroups && !comparesWithinGroups({ baseline })
        ? `"${baseline}" does not go with loss "${loss}", which compares answers within a group; choose "group" or "leave_one_out", or set loss to "reinforce".`
        : null,
  },
  {
    field: 'rolloutsPerProblem',
    broken: ({ baseline, rolloutsPerProblem }) =>
      comparesWithinGroups({ baseline }) && rolloutsPerProblem < 2
        ? `${rolloutsPerProblem} leaves nothing to compare within a group, as baseline "${baseline}" does; choose at least 2, or another baseline with loss "reinforce".`
        : null,
  },
  {
    field: 'removeConstantGroups',
    broken: ({ removeConstantGroups, baseline, rolloutsPerProblem }) =>
      removeConstantGroups && !comparesWithinGroups({ baseline }) && rolloutsPerProblem < 2
        ? `true leaves out groups whose answers all earned the same, and rolloutsPerProblem is ${rolloutsPerProblem}, so every group is such a one; choose false, or at least 2 answers per problem.`
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
    field: 'advantageScale',
    broken: ({ advantageScale, baseline }) =>
      advantageScale === 'group' && !comparesWithinGroups({ baseline })
        ? `"group" needs groups to take a standard deviation of, but baseline is "${baseline}"; choose "none" or "batch", or baseline "group".`
        : null,
  },
];
