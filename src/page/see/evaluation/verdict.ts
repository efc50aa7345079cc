/** The grader's verdict on an answer to a problem of the task or of the user. */
import type { RunConfig } from '@rl-playground/run/settings';
import type { ChatMessage } from '@rl-playground/base/conversation';
import {
  findTask,
  scoreItems,
  type Completion,
  type Problem,
  type PromptStyle,
  type Reward,
  type Task,
} from '@rl-playground/tasks/parts';
import { scoringOf, taskMix, type MixTask } from '@rl-playground/run/loop';

/** A problem that the user may change. */
export interface AskedProblem {
  readonly text: string;
  /** The right answer, or an empty text if nobody knows it. */
  readonly answer: string;
  /** The task's own problem that it was made from, if any. */
  readonly problem: Problem | null;
  /** True for the task's own words, whose grader scores everything. */
  readonly untouched: boolean;
}

/** The messages of a question: in the words of its task, if it has one. */
export function askedMessages({ text, problem }: AskedProblem, style: PromptStyle): readonly ChatMessage[] {
  const task = problem && findTask(problem.task);
  return task
    ? task.messages({ ...problem, question: text, compact: text }, style)
    : [{ role: 'user', content: text }];
}

export interface GraderVerdict {
  /** True if the answer is right; null if no right answer is known. */
  readonly correct: boolean | null;
  /** The reward; null for a changed problem whose grader needs more than question and answer. */
  readonly reward: Reward | null;
  /** The answer that was read from the text, if any. */
  readonly read: string | null;
}

/** The tasks of the run, or none where one is not on this page. */
function tasksOf(config: RunConfig): readonly MixTask[] {
  try {
    return taskMix(config);
  } catch {
    return [];
  }
}

export function sameAnswer(read: string, truth: string): boolean {
  const [a, b] = [read.trim(), truth.trim()];
  if (a === b) return true;
  return a !== '' && b !== '' && Number.isFinite(Number(a)) && Number(a) === Number(b);
}

/** One held-out problem of the run's tasks, which take turns; null where the task draws none. */
export function heldOutProblem(config: RunConfig, index: number): Problem | null {
  const tasks = tasksOf(config);
  const mixTask = tasks[index % tasks.length];
  if (mixTask === undefined) return null;
  try {
    return mixTask.task.generate(config.seed, 'eval', Math.floor(index / tasks.length), mixTask.config);
  } catch {
    return null;
  }
}

/** True if the grader needs only question and answer, as where both are rows of a file. */
const gradesRows = ({ definition, dataset }: Task): boolean =>
  definition !== undefined || dataset !== undefined;

/**
 * Reads and scores an answer by the task's grader. Where the grader needs more than the user's question and answer, it only reads the
 * answer, which is then compared with the user's.
 */
export async function verdictOn(
  { text, answer, problem, untouched }: AskedProblem,
  completion: Completion,
  config: RunConfig,
): Promise<GraderVerdict | null> {
  const mixTask = problem && tasksOf(config).find((each) => each.task.name === problem.task);
  if (!mixTask) return null;
  const { task } = mixTask;
  const settings = scoringOf(mixTask, config.scoring);
  const scored = untouched ? problem : { ...problem, question: text, compact: text, answer };
  const reward = await scoreItems(task, [{ problem: scored, completion }], settings).then(
    ([first]) => first ?? null,
    () => null,
  );
  if (reward === null) return null;
  const read = reward.extracted;
  const known = answer.trim() !== '';
  if (untouched || (known && gradesRows(task))) return { correct: reward.correct, reward, read };
  return { correct: known ? read !== null && sameAnswer(read, answer) : null, reward: null, read };
}
