/** A task for a training loop of one's own: asked as a model is asked, and scored as its renderer reads the answers. */
import type { ChatMessage, StopReason } from '@rl-playground/base/conversation';
import { checkList, described } from '@rl-playground/base/described';
import { scoreItems, taskConfigErrors } from './define/define.ts';
import './gym/words/wordData.ts';
import { taskByName } from './allTasks.ts';
import {
  SCORING_MODES,
  type Problem,
  type PromptStyle,
  type Reward,
  type ScoringMode,
  type Split,
  type Task,
  type TaskConfig,
} from './define/types.ts';

/** The parts of an asked model that a task needs; `createEngine` of the engine gives them. */
export interface AskedModel {
  readonly model: { readonly name: string; readonly promptStyle: PromptStyle };
  readonly renderer: {
    readonly promptIds: (messages: readonly ChatMessage[]) => number[];
    readonly textOf: (
      tokens: readonly number[],
      stopReason: StopReason,
    ) => { readonly text: string; readonly stopReason: StopReason };
  };
  /** The seed decides the problems. */
  readonly settings: { readonly seed: number };
}

/** A sampled completion, as far as scoring reads it. */
export interface SampledAnswer {
  readonly tokens: readonly number[];
  readonly stopReason: StopReason;
}

export interface AskedTask {
  readonly task: Task;
  /** The values of all fields of the task. */
  readonly config: TaskConfig;
  /** The `index`-th problem of the seed; those of `train`, the default, and `eval` never meet. Throws on no such number or split. */
  readonly problem: (index: number, split?: Split) => Problem;
  readonly messages: (problem: Problem) => ChatMessage[];
  /** The conversation and the beginning of the answer. */
  readonly promptIds: (problem: Problem) => number[];
  /** The rewards of completions of `problem`, in order; `strict` scoring by default. */
  readonly score: (
    problem: Problem,
    completions: readonly SampledAnswer[],
    mode?: ScoringMode,
  ) => Promise<Reward[]>;
}

/**
 * Makes a built-in task by its name, or one of one's own. `changes` are changes to the task's settings; by default they are those of its
 * first run if the model is that run's.
 * @throws Error if there is no such task, or it cannot have those settings.
 */
export function taskFor(asked: AskedModel, named: string | Task, changes?: TaskConfig): AskedTask {
  const { model, renderer, settings } = asked;
  if (typeof named !== 'string' && typeof named?.generate !== 'function')
    throw new Error(`The task is ${described(named)}; pass a name, as 'reverse_digits', or a task.`);
  const task = typeof named === 'string' ? taskByName(named) : named;
  const own = changes ?? (task.starter?.model === model.name ? (task.starter.config as TaskConfig) : {});
  const errors = taskConfigErrors(task, own);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const config: TaskConfig = { ...task.defaults, ...own };
  const messages = (problem: Problem): ChatMessage[] => {
    checkProblem(problem);
    return task.messages(problem, model.promptStyle);
  };
  return {
    task,
    config,
    problem(index, split = 'train') {
      checkPlace(index, split);
      return task.generate(settings.seed, split, index, config);
    },
    messages,
    promptIds: (problem) => renderer.promptIds(messages(problem)),
    async score(problem, completions, mode = 'strict') {
      checkProblem(problem);
      checkCompletions(completions, mode);
      const items = completions.map(({ tokens, stopReason }) => ({
        problem,
        completion: { tokens, ...renderer.textOf(tokens, stopReason) },
      }));
      return scoreItems(task, items, { mode, config });
    },
  };
}

function checkPlace(index: number, split: Split): void {
  if (!(Number.isSafeInteger(index) && index >= 0))
    throw new Error(`The problem wanted is number ${described(index)}; a whole number from 0 up is needed.`);
  if (split !== 'train' && split !== 'eval')
    throw new Error(`There is no split ${described(split)}; choose train or eval.`);
}

function checkProblem(problem: unknown): void {
  if (typeof problem !== 'object' || problem === null || !('task' in problem))
    throw new Error(`The problem is ${described(problem)}; pass what problem(index) gave.`);
}

function checkCompletions(completions: unknown, mode: ScoringMode): void {
  checkList(
    completions,
    'The completions are',
    'pass a list of { tokens, stopReason }, as sample gives them',
  );
  for (const [i, each] of (completions as unknown[]).entries())
    if (typeof each !== 'object' || each === null || !('tokens' in each && 'stopReason' in each))
      throw new Error(
        `Completion ${i} is ${described(each)} without tokens or stopReason; pass { tokens, stopReason }, as sample gives it.`,
      );
  if (!SCORING_MODES.includes(mode))
    throw new Error(
      `There is no scoring mode ${described(mode)}; choose one of: ${SCORING_MODES.join(', ')}.`,
    );
}
