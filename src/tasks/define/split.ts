/** The split of problems into training and evaluation, and the streams of both. */
import { avalanche32, drawsFor, fnv1a32, type Draw } from '@rl-playground/base/random';
import type { DrawnProblem, Problem, Split } from './types.ts';

/** The share of problems that are held out for evaluation. */
export const EVAL_SHARE = 0.2;
/** The number of attempts to draw a problem of the wanted side. At one in five, as many misses mean that there is none. */
const MOST_ATTEMPTS = 2000;

const SPLIT_WORDS: Readonly<Record<Split, number>> = { train: 0, eval: 1 };

/**
 * The side of a problem. It is a hash of `task:key`: FNV-1a (32 bit), then MurmurHash3's finalizer, because FNV alone mixes the last
 * characters badly. Without seed and settings in it, the two sets are disjoint across runs and levels.
 */
export function splitOf(task: string, key: string): Split {
  const hash = avalanche32(fnv1a32(`${task}:${key}`));
  return hash < EVAL_SHARE * 2 ** 32 ? 'eval' : 'train';
}

/**
 * The `index`-th problem of the stream (seed, split). It is drawn from (seed, split, index, attempt) until it falls on the wanted side, so
 * that it needs none of those before it. Throws if that side has no problem.
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
