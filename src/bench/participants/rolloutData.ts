/** Prompts of the timed rollouts, and the host-side sampler of peers that have none. */
import type { ModelConfig } from '../../model/config.ts';
import type { RolloutWorkload } from '../types.ts';
import { randomIntegers } from './inputs.ts';

/** One prompt for each group, of random tokens. */
export function promptsOf(
  { groups, promptLength }: Pick<RolloutWorkload, 'groups' | 'promptLength'>,
  { vocabSize }: ModelConfig,
): readonly (readonly number[])[] {
  return Array.from({ length: groups }, (_, group) =>
    Array.from(randomIntegers(100 + group, promptLength, 0, vocabSize)),
  );
}

/** The largest logit's token, or one drawn from the softmax of the row at `begin`. */
export function sampleRow(logits: Float32Array, begin: number, size: number, greedy: boolean): number {
  let best = 0;
  for (let i = 1; i < size; i++) {
    if ((logits[begin + i] as number) > (logits[begin + best] as number)) best = i;
  }
  if (greedy) return best;
  const largest = logits[begin + best] as number;
  let total = 0;
  for (let i = 0; i < size; i++) total += Math.exp((logits[begin + i] as number) - largest);
  let left = Math.random() * total;
  for (let i = 0; i < size; i++) {
    left -= Math.exp((logits[begin + i] as number) - largest);
    if (left <= 0) return i;
  }
  return size - 1;
}
