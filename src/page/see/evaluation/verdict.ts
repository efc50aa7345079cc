/** What the grader says of an answer to a problem of the task, or of the user's own. */
import type { RunConfig } from '@rl-playground/run/settings';
import {
  scoreItems,
  type Completion,
  type Problem,
  type Reward,
  type Task,
} from '@rl-playground/tasks/parts';
import { scoringOf, taskMix, type MixTask } from '@rl-playground/run/loop';

/** A problem that may be edited: what is asked, and which answer is right. */
export interface AskedProblem {
  readonly text: string;
  /** Empty where nobody knows. */
  readonly answer: string;
  /** The task's own, from which it was made; null outside of any task. */
  readonly problem: Problem | null;
  /** Whether it is the task's, word for word: then its grader scores everything. */
  readonly untouched: boolean;
}

export interface GraderVerdict {
  /** Null where no right answer is known. */
  readonly correct: boolean | null;
  /** Null of a changed problem whose grader needs more than question and answer: the task's rules need not hold for it. */
  readonly reward: Reward | null;
  /** What was read out of the text; null where nothing could be. */
  readonly read: string | null;
}

/** The tasks of the run; none where one is not on this page. */
function tasksOf(config: RunConfig): readonly MixTask[] {
  try {
    return taskMix(config);
  } catch {
    return [];
  }
}

/** The same text or the same number. */
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

/** Whether a question and its answer are all that the grader of a task goes by, as where both are rows of a file. */
const gradesRows = ({ definition, dataset }: Task): boolean =>
  definition !== undefined || dataset !== undefined;

/**
 * The task's grader reads and scores the answer to its own problem, and to one of the user's where it goes by question and answer. Elsewhere it
 * reads the answer to the user's, which is then compared with the one that the user says is right.
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
