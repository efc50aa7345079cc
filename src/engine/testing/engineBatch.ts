/** Completions that no policy wrote, with which an engine can be trained without sampling. */
import type { Sequence } from '../loss/sequence.ts';
import { drawsFor } from '@rl-playground/base/random';

export type WholeSequence = Required<Omit<Sequence, 'masked' | 'oldValues' | 'returns'>>;

/** `count` sequences of varied lengths over tokens 0 … 27, the vocabulary of the starter's tokenizer, with every value that a policy's loss reads. */
export function engineBatch(seed: number, count = 6): WholeSequence[] {
  const draw = drawsFor(0xe1, seed);
  const ids = (length: number): number[] => Array.from({ length }, () => Math.floor(28 * draw()));
  return Array.from({ length: count }, (_, i) => {
    const tokens = ids(1 + ((3 * i + seed) % 10));
    const near = (): number[] => tokens.map(() => -3.3 + 0.6 * (draw() - 0.5));
    return {
      promptIds: ids(1 + Math.floor(12 * draw())),
      tokens,
      samplerLogprobs: near(),
      oldLogprobs: near(),
      referenceLogprobs: near(),
      advantages: tokens.map(() => 2 * draw() - 1),
    };
  });
}
