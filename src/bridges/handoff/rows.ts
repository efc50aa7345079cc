/** The data of a run that goes on elsewhere: the problems that it would ask next, and all that scoring them takes. */
import type { RunConfig } from '@rl-playground/run/settings';
import {
  askedLevel,
  heldOutProblems,
  taskAt,
  trainingProblem,
  type MixProblem,
  type MixTask,
} from '@rl-playground/run/loop';
import { drawsFor } from '@rl-playground/base/random';
import type { ChatMessage } from '@rl-playground/base/conversation';
import type { Problem, PromptStyle, TaskConfig } from '@rl-playground/tasks/parts';
import type { TrainerState } from '@rl-playground/run/checkpoint';

/** One line of `train.jsonl`, and one row of a parquet file. */
export interface HandoffRow {
  readonly prompt: readonly ChatMessage[];
  readonly task: string;
  /** The index of its task among those of the run, which are TASKS in `reward.py`. */
  readonly part: number;
  /** The place in the run's stream of problems. */
  readonly index: number;
  /** The problem for `reward.py`, as JSON: answer, data, and the worked steps if steps are paid. */
  readonly problem: string;
}

/** The worked steps of a task after reasoning-gym's, which its worked answer has before the answer proper. */
function stepsOf({ task }: MixTask, problem: Problem): string {
  const worked = task.workedAnswer(problem);
  const ending = `<answer>${problem.answer}</answer>`;
  if (problem.think === true) return worked.slice('<think>'.length, -`</think>\n${ending}`.length);
  return worked.slice(0, -ending.length).replace(/\n$/, '');
}

const paysSteps = ({ task }: MixTask, config: TaskConfig): boolean =>
  task.source === 'reasoning-gym' && Number(config['step_weight'] ?? 0) !== 0;

/** A problem as `reward.py` reads it. */
export function problemJson(mixTask: MixTask, problem: Problem): string {
  const { answer, data, think } = problem;
  return JSON.stringify({
    answer,
    data,
    ...(think === true && { think }),
    ...(paysSteps(mixTask, mixTask.config) && { steps: stepsOf(mixTask, problem) }),
  });
}

export function rowOf(
  tasks: readonly MixTask[],
  { problem, taskIndex }: Pick<MixProblem, 'problem' | 'taskIndex'>,
  style: PromptStyle,
): HandoffRow {
  const mixTask = taskAt(tasks, taskIndex);
  return {
    prompt: mixTask.task.messages(problem, style),
    task: mixTask.task.name,
    part: taskIndex,
    index: problem.index,
    problem: problemJson(mixTask, problem),
  };
}

/** Keeps the levels of these rows apart from every other draw. */
const LEVELS = 0x4a7d;

/**
 * The next `count` training problems of a run. A curriculum gives them the levels that the run has reached, and the share of easier ones
 * that it reviews. In the run itself levels would rise with success.
 */
export function trainingRows(
  tasks: readonly MixTask[],
  config: RunConfig,
  state: Pick<TrainerState, 'position' | 'curriculum'>,
  count: number,
  style: PromptStyle,
): HandoffRow[] {
  const { curriculum, position } = state;
  return Array.from({ length: count }, (_, i) => {
    const index = position.next + i;
    const levels =
      curriculum?.map(({ level }, part) =>
        askedLevel(level, config.curriculumReview, drawsFor(config.seed, LEVELS, part, index)),
      ) ?? null;
    return rowOf(tasks, trainingProblem(tasks, levels, config.seed, index), style);
  });
}

/** The held-out problems of the run's evaluations. */
export function heldOutRows(
  tasks: readonly MixTask[],
  { evalSamples }: RunConfig,
  style: PromptStyle,
): HandoffRow[] {
  return heldOutProblems(tasks, evalSamples).map((asked) => rowOf(tasks, asked, style));
}

export const rowsAsJsonl = (rows: readonly HandoffRow[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');
