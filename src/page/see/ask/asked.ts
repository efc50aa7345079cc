/** Held-out problems that a person may put to the model, in the words of the task, with the grader's verdict on the answers. */
import type { RunConfig } from '@rl-playground/run/settings';
import type { ChatMessage } from '@rl-playground/base/conversation';
import {
  findTask,
  scoreItems,
  type Completion,
  type Problem,
  type PromptStyle,
  type Reward,
} from '@rl-playground/tasks/parts';
import { scoringOf, taskMix, type MixTask } from '@rl-playground/run/loop';

/** The tasks of the run, or none where one is not on this page. */
function tasksOf(config: RunConfig): readonly MixTask[] {
  try {
    return taskMix(config);
  } catch {
    return [];
  }
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

/** The words of a problem as a person may change them. */
export const wordsOf = (problem: Problem | null, style: PromptStyle): string =>
  problem === null ? '' : style === 'full' ? problem.question : problem.compact;

/**
 * The messages of what a person wrote. The problem itself comes in the words of its task. So does everything to a model that reads no
 * English, which knows nothing else.
 */
export function askedMessages(
  text: string,
  problem: Problem | null,
  style: PromptStyle,
): readonly ChatMessage[] {
  const task = problem && findTask(problem.task);
  if (task && (style === 'compact' || text === wordsOf(problem, style)))
    return task.messages({ ...problem, question: text, compact: text }, style);
  return [{ role: 'user', content: text }];
}

/** Scores an answer to a problem by the task's grader; null where that can't be. */
export async function rewardOf(
  problem: Problem,
  completion: Completion,
  config: RunConfig,
): Promise<Reward | null> {
  const mixTask = tasksOf(config).find((each) => each.task.name === problem.task);
  if (mixTask === undefined) return null;
  const settings = scoringOf(mixTask, config.scoring);
  return scoreItems(mixTask.task, [{ problem, completion }], settings).then(
    ([first]) => first ?? null,
    () => null,
  );
}
