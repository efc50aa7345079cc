/** Which problems are for training and which for evaluation, and how a stream of either is drawn. */
import { avalanche32, fnv1a32 } from './hash.ts';
import { drawsFor } from './random.ts';
import type { Problem, Split, TaskName } from './types.ts';

/** Share of all problems that are held out for evaluation. */
export const EVAL_SHARE = 0.2;

const SPLIT_WORDS: Readonly<Record<Split, number>> = { train: 0, eval: 1 };

/**
 * The side of the split a problem is on: FNV-1a (32 bit) of the text `task:n1,n2,…`, then MurmurHash3's finalizer,
 * since FNV alone mixes the last characters badly. No seed enters, so the two sets are disjoint in and across runs.
 */
export function splitOf(task: TaskName, numbers: readonly number[]): Split {
  const hash = avalanche32(fnv1a32(`${task}:${numbers.join(',')}`));
  return hash < EVAL_SHARE * 2 ** 32 ? 'eval' : 'train';
}

/**
 * The `index`-th problem of the stream named by (seed, split): attempts are drawn from (seed, split, index, attempt)
 * until one falls on the wanted side, so every problem can be made without making those before it.
 */
export function drawProblem(
  task: TaskName,
  where: { seed: number; split: Split; index: number },
  drawNumbers: (draw: () => number) => readonly number[],
  answerOf: (numbers: readonly number[]) => string,
): Problem {
  const { seed, split, index } = where;
  for (let attempt = 0; ; attempt++) {
    const numbers = drawNumbers(drawsFor(seed, SPLIT_WORDS[split], index, attempt));
    if (splitOf(task, numbers) === split) return { task, split, index, numbers, answer: answerOf(numbers) };
  }
}
