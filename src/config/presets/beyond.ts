/** A run that goes beyond what its model was shown: longer problems than any demonstration, level by level. */
import { SHORT_MODEL } from '../../tasks/starters.ts';
import type { RunConfig } from '../schema.ts';
import type { Preset } from './preset.ts';

const TASK = 'sum_digits_titan';

/** Numbers of a sum; the model was shown two and three. */
const FIRST_NEW = { min_numbers: 4, max_numbers: 4 };
/** Place of such sums among the task's levels. */
const FIRST_NEW_LEVEL = 3;

/** Steps that are right are paid more than the end: without that, right ends by lucky steps are learned, and what was known is lost. */
const STEP_WEIGHT = 4;

/** `recommended`: the settings of the default preset for a task. */
export function beyondPreset(recommended: (task: string) => Partial<RunConfig>): Preset {
  return {
    summary:
      'A model that was shown sums of two and three numbers alone goes on to four by reinforcement, under a curriculum that asks the shorter ones between. Other tasks get the recommended settings.',
    differences: [],
    task: TASK,
    original: null,
    values: (task) =>
      task === TASK
        ? {
            ...recommended(task),
            model: SHORT_MODEL,
            taskConfig: { ...FIRST_NEW, step_weight: STEP_WEIGHT },
            numSteps: 75,
            learningRate: 3e-4,
            warmupSteps: 10,
            problemsPerStep: 32,
            removeConstantGroups: true,
            maxTokens: 72,
            curriculum: 'success',
            curriculumStart: FIRST_NEW_LEVEL,
            curriculumRaise: 0.8,
            curriculumLower: 0,
            curriculumReview: 0.3,
            curriculumWindow: 192,
            levelSamples: 50,
            evalEvery: 25,
          }
        : recommended(task),
  };
}
