/** Supervised warm-up: sequences made of a task's demonstrations. */
import type { Tokenizer } from '../hub/types.ts';
import { drawsFor } from '../tasks/random.ts';
import type { PromptStyle, Task, TaskConfig } from '../tasks/types.ts';
import type { Sequence } from './batch.ts';

/** Keeps the draws of the imperfections apart from every other stream of the same seed. */
const DEMONSTRATION_STREAM = 0x5f7;

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
  const tokens = [...tokenizer.encode(answer), tokenizer.eosTokenId];
  return {
    promptIds: tokenizer.promptIds(task.messages(problem, style)),
    tokens,
    samplerLogprobs: tokens.map(() => 0),
    advantage: 0,
  };
}
