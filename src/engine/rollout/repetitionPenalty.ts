/**
 * The repetition penalty (Keskar et al. 2019, CTRL) as transformers' RepetitionPenaltyLogitsProcessor computes it: the logit of each
 * token in prompt and completion so far, however often it occurs, is divided if it is above 0, and multiplied if it is below 0. It acts
 * on the model's logits, before temperature and filters, and only on the draw: a token's log-probability is that of the distribution
 * without it. `engine/kernels/decode/repetitionPenalty.ts` is the same on the GPU in float32.
 */

/** The logits [V] for drawing after the tokens of `parts` have occurred. `penalty` is above 0; 1 changes nothing. */
export function withRepetitionPenalty(
  logits: Float32Array,
  penalty: number,
  ...parts: readonly (readonly number[])[]
): Float32Array<ArrayBuffer> {
  const penalised = Float32Array.from(logits);
  for (const token of parts.flat()) {
    const logit = logits[token] as number;
    penalised[token] = logit < 0 ? logit * penalty : logit / penalty;
  }
  return penalised;
}
