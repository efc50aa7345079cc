/** The tasks of a run: one, or a weighted mixture, each at its level of difficulty. */
import type { RunConfig } from '../settings/schema/schema.ts';
import {
  MIXTURE,
  taskByName,
  type Problem,
  type ScoringSettings,
  type Task,
  type TaskConfig,
} from '@rl-playground/tasks/parts';
import { drawsFor } from '@rl-playground/base/random';
import '@rl-playground/tasks/words';

export interface MixTask {
  readonly task: Task;
  /** Share of the run's problems; the shares sum to 1. */
  readonly share: number;
  /** Every field of the task. */
  readonly config: TaskConfig;
}

/** Keeps the choice of a task apart from every other draw. */
const MIXTURE_STREAM = 0x3137;

/** The tasks of a run. Throws where one of them is not on this page. */
export function taskMix(config: Pick<RunConfig, 'task' | 'taskConfig' | 'mixture'>): MixTask[] {
  const parts =
    config.task === MIXTURE ? config.mixture : [{ task: config.task, weight: 1, config: config.taskConfig }];
  const sum = parts.reduce((total, { weight }) => total + weight, 0);
  return parts.map((part) => {
    const task = taskByName(part.task);
    return { task, share: part.weight / sum, config: { ...task.defaults, ...part.config } };
  });
}

/** The tasks that a run's evaluations ask: its own, or those in their place. */
export function evaluationMix(
  config: Pick<RunConfig, 'task' | 'taskConfig' | 'mixture' | 'evalMixture'>,
): MixTask[] {
  const { evalMixture } = config;
  return taskMix(evalMixture.length === 0 ? config : { ...config, task: MIXTURE, mixture: evalMixture });
}

/** True if one of the tasks leaves answers out for which its program fails. */
export const leavesOut = (tasks: readonly MixTask[]): boolean =>
  tasks.some(
    ({ task: { definition } }) => definition?.grader.kind === 'code' && definition.grader.leaveOutFailures,
  );

/** The settings of a task at a level of its curriculum; 0 is the easiest. */
export function atLevel({ task, config }: MixTask, level: number | null): TaskConfig {
  return level === null ? config : { ...config, ...task.levels[level] };
}

export interface MixProblem {
  readonly problem: Problem;
  /** The index of its task among those of the run. */
  readonly taskIndex: number;
}

/**
 * The `index`-th training problem of a run: its task is drawn by the shares from (seed, index), and the problem from the task's own
 * stream. `levels`: one per task, or null without a curriculum. Pure.
 */
export function trainingProblem(
  tasks: readonly MixTask[],
  levels: readonly number[] | null,
  seed: number,
  index: number,
): MixProblem {
  const at = tasks.length === 1 ? 0 : drawsFor(seed, MIXTURE_STREAM, index)();
  let passed = 0;
  let taskIndex = tasks.findIndex(({ share }) => {
    passed += share;
    return at < passed;
  });
  // The shares may sum to a hair less than 1.
  if (taskIndex < 0) taskIndex = tasks.length - 1;
  const mixTask = taskAt(tasks, taskIndex);
  const config = atLevel(mixTask, levels?.[taskIndex] ?? null);
  return { problem: mixTask.task.generate(seed, 'train', index, config), taskIndex };
}

/** Divides `samples` problems by share; every task gets at least one if there are enough. */
export function evaluationCounts(tasks: readonly MixTask[], samples: number): number[] {
  const enough = samples >= tasks.length;
  const counts: number[] = tasks.map(() => (enough ? 1 : 0));
  for (let left = enough ? samples - tasks.length : samples; left > 0; left--) {
    const missing = tasks.map(({ share }, i) => share * samples - (counts[i] ?? 0));
    const next = missing.indexOf(Math.max(...missing));
    counts[next] = (counts[next] ?? 0) + 1;
  }
  return counts;
}

/** The held-out problems are the same for every run, whatever its seed. */
const HELD_OUT_SEED = 0;

/** Problems that are drawn for each one that is wanted before a task counts as one of few problems. */
const MOST_DRAWS = 2;

/**
 * A fixed set of held-out problems: the first distinct ones of each task's evaluation stream, at the run's own settings. A file of few rows,
 * or a task of few problems, has fewer than `samples`; one that counted twice would make intervals too narrow.
 */
export function heldOutProblems(tasks: readonly MixTask[], samples: number): MixProblem[] {
  return evaluationCounts(tasks, samples).flatMap((count, taskIndex) => {
    const { task, config } = taskAt(tasks, taskIndex);
    const distinct = new Map<string, MixProblem>();
    for (let i = 0; i < MOST_DRAWS * count && distinct.size < count; i++) {
      const problem = task.generate(HELD_OUT_SEED, 'eval', i, config);
      const key = JSON.stringify([problem.question, problem.answer]);
      if (!distinct.has(key)) distinct.set(key, { taskIndex, problem });
    }
    return [...distinct.values()];
  });
}

/** The settings that a task's completions are scored with. */
export function scoringOf({ config }: MixTask, mode: ScoringSettings['mode']): ScoringSettings {
  return { mode, config };
}

export function taskAt(tasks: readonly MixTask[], index: number): MixTask {
  const mixTask = tasks[index];
  if (mixTask === undefined)
    throw new Error(`The run has ${tasks.length} tasks; there is none at index ${index}.`);
  return mixTask;
}
