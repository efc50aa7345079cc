/** Which problems are for training and which for evaluation, and how a stream of either is drawn. */
import { avalanche32, drawsFor, fnv1a32, type Draw } from '@rl-playground/base/random';
import type { DrawnProblem, Problem, Split } from './types.ts';

/** Share of all problems that are held out for evaluation. */
export const EVAL_SHARE = 0.2;
/** Draws until a problem falls on the wanted side. At one in five, as many misses mean that there is none. */
const MOST_ATTEMPTS = 2000;

const SPLIT_WORDS: Readonly<Record<Split, number>> = { train: 0, eval: 1 };

/**
 * The side of the split a problem is on: FNV-1a (32 bit) of the text `task:key`, then MurmurHash3's finalizer,
 * since FNV alone mixes the last characters badly. Neither seed nor settings enter, so the two sets are disjoint in and
 * across runs and levels of difficulty.
 */
export function splitOf(task: string, key: string): Split {
  const hash = avalanche32(fnv1a32(`${task}:${key}`));
  return hash < EVAL_SHARE * 2 ** 32 ? 'eval' : 'train';
}

/**
 * The `index`-th problem of the stream named by (seed, split): attempts are drawn from (seed, split, index, attempt)
 * until one falls on the wanted side, so every problem can be made without making those before it.
 * Throws where there is no problem on that side.
 */
export function drawProblem(
  task: string,
  where: { seed: number; split: Split; index: number },
  drawOne: (draw: Draw) => DrawnProblem,
): Problem {
  const { seed, split, index } = where;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const { question, compact, answer, data, key, think } = drawOne(
      drawsFor(seed, SPLIT_WORDS[split], index, attempt),
    );
    if (splitOf(task, key ?? question) === split)
      return {
        task,
        split,
        index,
        question,
        compact: compact ?? question,
        answer,
        data,
        ...(think === true && { think }),
      };
  }
  const side = split === 'eval' ? 'evaluation' : 'training';
  throw new Error(
    `${task}: none of ${MOST_ATTEMPTS} problems drawn with these settings is one for ${side}; at least one is needed. Widen the task's settings.`,
  );
}
