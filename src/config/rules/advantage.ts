/** Rules on groups and what is made of their rewards. */
import type { RunConfig } from '../runFields.ts';
import { GRPO_FAMILY } from './loss.ts';
import type { Rule } from './rule.ts';

/** Most answers of one step: beyond it a step takes hours in a browser, and its record hundreds of megabytes. */
export const MAX_ROLLOUTS_PER_STEP = 16_384;

/** Whether a baseline needs other answers to the same problem. */
export const comparesGroups = (baseline: RunConfig['baseline']): boolean =>
  baseline === 'group' || baseline === 'leave_one_out';

export const ADVANTAGE_RULES: readonly Rule[] = [
  {
    field: 'baseline',
    broken: ({ loss, baseline }) =>
      GRPO_FAMILY.has(loss) && !comparesGroups(baseline)
        ? `"${baseline}" does not go with loss "${loss}", which compares answers within a group; choose "group" or "leave_one_out", or set loss to "reinforce".`
        : null,
  },
  {
    field: 'rolloutsPerProblem',
    broken: ({ baseline, rolloutsPerProblem }) =>
      comparesGroups(baseline) && rolloutsPerProblem < 2
        ? `${rolloutsPerProblem} leaves nothing to compare within a group, as baseline "${baseline}" does; choose at least 2, or another baseline with loss "reinforce".`
        : null,
  },
  {
    field: 'removeConstantGroups',
    broken: ({ removeConstantGroups, baseline, rolloutsPerProblem }) =>
      removeConstantGroups && !comparesGroups(baseline) && rolloutsPerProblem < 2
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
      advantageScale === 'group' && !comparesGroups(baseline)
        ? `"group" needs groups to take a standard deviation of, but baseline is "${baseline}"; choose "none" or "batch", or baseline "group".`
        : null,
  },
];
