/** Runs that go beyond what their model was shown: longer problems than any demonstration, level by level. */
import { SHORT_LISTS_MODEL, SHORT_MODEL, SHORT_TERMS_MODEL } from '@rl-playground/tasks/parts';
import type { RunConfig } from '../schema/schema.ts';
import type { Preset } from './preset.ts';

/** Steps that are right are paid more than the end: without that, right ends by lucky steps are learned, and what was known is lost. */
const STEP_WEIGHT = 4;

/** The settings that the runs have in common. */
const SHARED: Partial<RunConfig> = {
  learningRate: 3e-4,
  warmupSteps: 10,
  problemsPerStep: 32,
  removeConstantGroups: true,
  curriculum: 'success',
  curriculumLower: 0,
  curriculumReview: 0.3,
  curriculumWindow: 192,
  levelSamples: 50,
};

/** The settings by the name of the task. The first is the preset's own, because the last is recommended without it, too. */
const RUNS: Readonly<Record<string, Partial<RunConfig>>> = {
  chain_sum: {
    model: SHORT_TERMS_MODEL,
    taskConfig: { min_terms: 4, max_terms: 4, min_digits: 1, max_digits: 1, step_weight: STEP_WEIGHT },
    curriculumStart: 3,
    numSteps: 350,
    maxTokens: 112,
    // Four terms to the end: five are too many for as many steps.
    curriculumRaise: 1,
    evalEvery: 50,
  },
  number_sorting: {
    model: SHORT_LISTS_MODEL,
    taskConfig: {
      min_numbers: 5,
      max_numbers: 5,
      max_decimals: 0,
      min_value: 0,
      max_value: 12,
      step_weight: STEP_WEIGHT,
    },
    curriculumStart: 4,
    numSteps: 700,
    maxTokens: 128,
    curriculumRaise: 1,
    evalEvery: 100,
  },
  sum_digits_titan: {
    model: SHORT_MODEL,
    taskConfig: { min_numbers: 4, max_numbers: 4, step_weight: STEP_WEIGHT },
    curriculumStart: 3,
    numSteps: 75,
    maxTokens: 72,
    curriculumRaise: 0.8,
    evalEvery: 25,
  },
};

/** The results of three seeds each, on problems of the length that was never shown. */
const SEEN: Readonly<Record<string, string>> = {
  chain_sum:
    'The model was shown two and three terms. Of four it gets 9% right with greedy decoding, and 84 to 90% after 350 steps.',
  number_sorting:
    'The model was shown lists of two to four numbers. Of five it gets 10% right with greedy decoding, and 75 to 80% after 700 steps.',
};

/** The tasks with such a run, the preset's own first. */
export const BEYOND_TASKS: readonly string[] = Object.keys(RUNS);

/** The run of a task; empty where it has none. */
export const beyondRun = (task: string): Partial<RunConfig> =>
  RUNS[task] === undefined ? {} : { ...SHARED, ...RUNS[task] };

/** `recommended`: the settings of the default preset for a task. */
export function beyondPreset(recommended: (task: string) => Partial<RunConfig>): Preset {
  return {
    summary:
      'A model that was shown only short problems learns longer ones by reinforcement learning: sums of four numbers after two and three, lists of five numbers to sort after four. A curriculum asks the shorter ones between. Other tasks get the recommended settings.',
    differences: [],
    task: BEYOND_TASKS[0],
    original: null,
    values: (task) => ({ ...recommended(task), ...beyondRun(task) }),
    expect: (task) => SEEN[task],
  };
}
