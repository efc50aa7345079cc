/** What one update saw at its tokens. */
import type { Sequence } from './batch.ts';
import type { LossOptions } from './lossOptions.ts';
import type { UpdateRecord } from './metrics/context.ts';

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
  { clip, ratioLevel }: Pick<LossOptions, 'clip' | 'ratioLevel'>,
  ratioToItself: boolean,
): Pick<UpdateRecord, 'klSampleTrainV1' | 'klSampleTrainV2' | 'clippedLow' | 'clippedHigh' | 'tokens'> {
  const sums = { gap: 0, square: 0, low: 0, high: 0, tokens: 0 };
  sequences.forEach((sequence, i) => {
    if (sequence.masked === true) return;
    const { samplerLogprobs, advantages, tokens } = sequence;
    const policy = logprobs[i] ?? [];
    const old = oldLogprobsOf(sequence, policy, ratioToItself);
    const logRatios = tokens.map((_, t) => (policy[t] ?? NaN) - (old[t] ?? NaN));
    const mean = logRatios.reduce((sum, ratio) => sum + ratio, 0) / tokens.length;
    tokens.forEach((_, t) => {
      const ratio = Math.exp(ratioLevel === 'sequence' ? mean : (logRatios[t] ?? NaN));
      const advantage = advantages[t] ?? 0;
      sums.tokens++;
      const gap = (samplerLogprobs[t] ?? NaN) - (policy[t] ?? NaN);
      sums.gap += gap;
      sums.square += 0.5 * gap * gap;
      if (clip !== null && ratio < clip.low && advantage < 0) sums.low++;
      if (clip !== null && ratio > clip.high && advantage > 0) sums.high++;
    });
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
