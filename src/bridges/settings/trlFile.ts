/** Tells a whole run of TRL's from a part of one, and gives the settings that a configuration leaves out. */
import { findTask, CUSTOM_PREFIX } from '@rl-playground/tasks/parts';
import { isTree, listOf, type Tree } from '@rl-playground/run/settings/files';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';

/** A `course` is a whole run of RL for Real's, a `trainer` one of `trl grpo --config`, a `part` some settings to change in a run. */
export type Stated = 'course' | 'trainer' | 'part';

export function statedBy(tree: Tree): Stated {
  if (typeof tree.model_name_or_path !== 'string') return 'part';
  if (isTree(tree.datasets)) return 'course';
  const names = [tree.dataset_name, tree.dataset_path, tree.reward_funcs, listOf(tree.datasets)];
  return names.some((each) => each !== undefined && each !== null) ? 'trainer' : 'part';
}

/**
 * Moves the model from `model_name`, where configurations of scripts around TRL have it, to the key of TRL's command line: it is named and
 * not fetched. A name without an owner is a bundled model, which is taken.
 */
export function withModelPath(tree: Tree): Tree {
  const { model_name: named, ...rest } = tree;
  if (typeof named !== 'string' || !named.includes('/') || Object.hasOwn(tree, 'model_name_or_path'))
    return tree;
  return { ...rest, model_name_or_path: named };
}

/** TRL's own value. */
export const COMPLETION_LENGTH = 512;

/** TRL's own values (1.13) of what a whole file leaves out, where they differ from the preset's. */
const TRL_DEFAULTS: Partial<RunConfig> = {
  loss: 'dapo',
  lossReduction: 'batch_token_mean',
  problemsPerStep: 1,
  rolloutsPerProblem: 8,
  temperature: 1,
  maxTokens: COMPLETION_LENGTH,
  klBiasCorrection: true,
  learningRate: 1e-6,
  lrSchedule: 'linear',
  warmupSteps: 0,
  saveSteps: 500,
};

/** True if there is a task of that name here. One of the user's own may come later. */
export const isTaskName = (name: unknown): name is string =>
  typeof name === 'string' && (findTask(name) !== null || name.startsWith(CUSTOM_PREFIX));

/** The settings that a file changes: the preset for its task, with TRL's own values where the file states a whole run. */
export function trlBase(tree: Tree): RunConfig {
  const task = isTaskName(tree.task) ? (findTask(tree.task)?.name ?? tree.task) : 'syllogism';
  const preset = defaultConfig(task, 'rl-for-real-grpo');
  return statedBy(tree) === 'part' ? preset : { ...preset, ...TRL_DEFAULTS };
}

/** The sentence that says where a run starts; null for RL for Real's own files, whose datasets say it. */
export function trlBaseNote(tree: Tree): string | null {
  switch (statedBy(tree)) {
    case 'course':
      return null;
    case 'trainer': {
      const named = isTaskName(tree.task)
        ? ''
        : '; the task is syllogism, unless task, --task or --data says otherwise';
      return `Missing settings were filled from the defaults of TRL’s GRPO trainer${named}.`;
    }
    case 'part':
      return 'Missing settings were filled from the preset rl-for-real-grpo.';
  }
}
