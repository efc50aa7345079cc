/** Sequences made of the tasks' demonstrations, which a model is shown before reinforcement. */
import type { Renderer, Tokenizer, Sequence } from '@rl-playground/engine/parts';
import { drawsFor } from '@rl-playground/base/random';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { PromptStyle, Task, TaskConfig } from '@rl-playground/tasks/parts';
import { taskAt, taskMix, trainingProblem, type MixTask } from '../loop/taskMix.ts';
import '@rl-playground/tasks/words';

/** Keeps the draws of the form apart from every other stream of the same seed. */
const DEMONSTRATION_STREAM = 0x5f7;

/** The number added to the run's seed, so that problems shown with an answer differ from those that reinforcement asks. */
const DEMONSTRATION_SEEDS = 2 ** 40;

/** The `index`-th demonstration of a task under `config` (every field) as a training sequence that ends with the end-of-sequence token. Pure. */
export function demonstrationSequence(
  task: Task,
  config: TaskConfig,
  tokenizer: Tokenizer,
  style: PromptStyle,
  seed: number,
  index: number,
): Sequence {
  const problem = task.generate(seed, 'train', index, config);
  const answer = task.demonstration(problem, drawsFor(seed, index, DEMONSTRATION_STREAM));
  return taughtSequence(tokenizer.promptIds(task.messages(problem, style)), [
    ...tokenizer.encode(answer),
    tokenizer.eosTokenId,
  ]);
}

/**
 * The demonstrations of a run by their index, as its renderer asks and ends them: tasks by their shares, without a curriculum. Cut at the
 * run's longest answer, for which a model has positions. Pure.
 */
export function demonstrationStream({
  config: { seed: runSeed, maxTokens },
  tasks,
  renderer,
  promptStyle,
}: {
  readonly config: Pick<RunConfig, 'seed' | 'maxTokens'>;
  readonly tasks: readonly MixTask[];
  readonly renderer: Renderer;
  readonly promptStyle: PromptStyle;
}): (index: number) => Sequence {
  const seed = DEMONSTRATION_SEEDS + runSeed;
  return (index) => {
    const { problem, taskIndex } = trainingProblem(tasks, null, seed, index);
    const { task } = taskAt(tasks, taskIndex);
    const answer = task.demonstration(problem, drawsFor(seed, index, DEMONSTRATION_STREAM));
    return taughtSequence(
      renderer.promptIds(task.messages(problem, promptStyle)),
      renderer.answerIds(answer).slice(0, maxTokens),
    );
  };
}

/** The number of demonstrations that a base in 4 bits is fitted to. */
const EXAMPLES = 256;

/** Whole demonstrations of a run, for what is fitted to its tasks. */
export function examplesOf(
  config: RunConfig,
  { promptStyle }: { promptStyle: PromptStyle },
  renderer: Renderer,
): number[][] {
  const sequenceAt = demonstrationStream({ config, tasks: taskMix(config), renderer, promptStyle });
  return Array.from({ length: EXAMPLES }, (_, index) => {
    const { promptIds, tokens } = sequenceAt(index);
    return [...promptIds, ...tokens];
  });
}

/** A prompt and the tokens to be learned behind it; nobody sampled them. */
export function taughtSequence(promptIds: readonly number[], tokens: readonly number[]): Sequence {
  const zeros = tokens.map(() => 0);
  return { promptIds, tokens, samplerLogprobs: zeros, advantages: zeros };
}
