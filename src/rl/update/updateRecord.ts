/** What one update saw at its tokens. */
import type { Sequence } from './batch.ts';
import type { RatioBounds } from '../loss/losses.ts';
import type { LossOptions } from '../loss/lossOptions.ts';
import type { UpdateRecord } from '../metrics/context.ts';

/** log p_old of a sequence; p itself where the ratio is taken to it. */
export function oldLogprobsOf(
  sequence: Sequence,
  logprobs: ArrayLike<number>,
  ratioToItself: boolean,
): ArrayLike<number> {
  return ratioToItself ? logprobs : (sequence.oldLogprobs ?? sequence.samplerLogprobs);
}

/**
 * Means of log q − log p and of half its square over the tokens of `sequences`, and the shares of tokens whose ratio lies below its bound with A < 0 and above it
 * with A > 0: only there does clipping act. `logprobs`: log p of each, in the forward pass of the update.
 */
export function measureUpdate(
  sequences: readonly Sequence[],
  logprobs: readonly ArrayLike<number>[],
  { clip, ratioLevel }: { readonly clip: RatioBounds | null } & Pick<LossOptions, 'ratioLevel'>,
  ratioToItself: boolean,
): Pick<UpdateRecord, 'klSampleTrainV1' | 'klSampleTrainV2' | 'clippedLow' | 'clippedHigh' | 'tokens'> {
  const sums = { gap: 0, square: 0, low: 0, high: 0, tokens: 0 };
  sequences.forEach((sequence, i) => {
    if (sequence.masked === true) return;
    const { samplerLogprobs, advantages, tokens } = sequence;
    const policy = logprobs[i] ?? [];
    const old = oldLogprobsOf(sequence, policy, ratioToItself);
    const logRatioAt = (t: number): number => (policy[t] ?? NaN) - (old[t] ?? NaN);
    const mean = ratioLevel === 'sequence' ? meanOver(tokens.length, logRatioAt) : 0;
    for (let t = 0; t < tokens.length; t++) {
      sums.tokens++;
      const gap = (samplerLogprobs[t] ?? NaN) - (policy[t] ?? NaN);
      sums.gap += gap;
      sums.square += 0.5 * gap * gap;
      if (clip === null) continue;
      const ratio = Math.exp(ratioLevel === 'sequence' ? mean : logRatioAt(t));
      const advantage = advantages[t] ?? 0;
      if (ratio < clip.low && advantage < 0) sums.low++;
      if (ratio > clip.high && advantage > 0) sums.high++;
    }
  });
  const tokens = Math.max(1, sums.tokens);
  return {
    klSampleTrainV1: sums.gap / tokens,
    klSampleTrainV2: sums.square / tokens,
    clippedLow: sums.low / tokens,
    clippedHigh: sums.high / tokens,
    tokens: sums.tokens,
  };
}

function meanOver(length: number, valueAt: (index: number) => number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += valueAt(i);
  return sum / length;
}
