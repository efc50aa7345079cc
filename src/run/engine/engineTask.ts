/** A task as a training loop of one's own asks it: problems, prompts in tokens, rewards of completions. */
import type { Renderer } from '../../hub/renderers/index.ts';
import type { LoadedModel } from '../../hub/types.ts';
import { checkList, described } from '../../rl/engine/calls.ts';
import type { SampledCompletion } from '../../rollout/types.ts';
import { scoreItems, taskConfigErrors } from '../../tasks/define.ts';
import { taskByName } from '../../tasks/index.ts';
import { SCORING_MODES } from '../../tasks/types.ts';
import type {
  ChatMessage,
  Problem,
  Reward,
  ScoringMode,
  Split,
  Task,
  TaskConfig,
} from '../../tasks/types.ts';

export interface EngineTask {
  readonly task: Task;
  /** Every field of the task. */
  readonly config: TaskConfig;
  /** The `index`-th problem of the engine's seed; those of `train`, the default, and `eval` never meet. Throws on no such number or split. */
  readonly problem: (index: number, split?: Split) => Problem;
  readonly messages: (problem: Problem) => ChatMessage[];
  /** The conversation and the beginning of the answer. */
  readonly promptIds: (problem: Problem) => number[];
  /** The rewards of completions of `problem`, in order; `strict` scoring by default. */
  readonly score: (
    problem: Problem,
    completions: readonly Pick<SampledCompletion, 'tokens' | 'stopReason'>[],
    mode?: ScoringMode,
  ) => Promise<Reward[]>;
}

export interface TaskSurroundings {
  readonly model: Pick<LoadedModel, 'name' | 'promptStyle'>;
  readonly renderer: Renderer;
  readonly seed: number;
}

/** Throws where there is no task of that name, or `changes` are none that it can have. */
export function openTask(
  name: string,
  changes: TaskConfig | undefined,
  { model, renderer, seed }: TaskSurroundings,
): EngineTask {
  if (typeof name !== 'string')
    throw new Error(`The task is ${described(name)}; pass a name, as 'reverse_digits'.`);
  const task = taskByName(name);
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
      return task.generate(seed, split, index, config);
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
