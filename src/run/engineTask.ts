/** A task as a training loop of one's own asks it: problems, prompts in tokens, rewards of completions. */
import type { Renderer } from '../hub/renderers/index.ts';
import type { LoadedModel } from '../hub/types.ts';
import { described } from '../rl/callChecks.ts';
import type { SampledCompletion } from '../rollout/types.ts';
import { scoreItems, taskConfigErrors } from '../tasks/define.ts';
import { taskByName } from '../tasks/index.ts';
import type { ChatMessage, Problem, Reward, ScoringMode, Split, Task, TaskConfig } from '../tasks/types.ts';

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
  const task = taskByName(name);
  const own = changes ?? (task.starter?.model === model.name ? (task.starter.config as TaskConfig) : {});
  const errors = taskConfigErrors(task, own);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const config: TaskConfig = { ...task.defaults, ...own };
  const messages = (problem: Problem): ChatMessage[] => task.messages(problem, model.promptStyle);
  return {
    task,
    config,
    problem(index, split = 'train') {
      checkProblem(index, split);
      return task.generate(seed, split, index, config);
    },
    messages,
    promptIds: (problem) => renderer.promptIds(messages(problem)),
    score(problem, completions, mode = 'strict') {
      const items = completions.map(({ tokens, stopReason }) => ({
        problem,
        completion: { tokens, ...renderer.textOf(tokens, stopReason) },
      }));
      return scoreItems(task, items, { mode, config });
    },
  };
}

function checkProblem(index: number, split: Split): void {
  if (!(Number.isSafeInteger(index) && index >= 0))
    throw new Error(`The problem wanted is number ${described(index)}; a whole number from 0 up is needed.`);
  if (split !== 'train' && split !== 'eval')
    throw new Error(`There is no split ${described(split)}; choose train or eval.`);
}
