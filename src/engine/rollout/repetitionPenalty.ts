/**
 * The repetition penalty (Keskar et al. 2019, CTRL) as transformers' RepetitionPenaltyLogitsProcessor has it: of each token of prompt and
 * completion so far, however often it stands there, a logit above 0 is divided and one below 0 multiplied. It acts on the model's logits,
 * before temperature and filters, and only on what is drawn: a token's log-probability is that of the distribution without it.
 * `engine/kernels/decode/repetitionPenalty.ts` is the same on the GPU in float32.
 */

/** Of `logits` [V], what tokens are drawn by where those of `parts` have been written. `penalty`: above 0; 1 changes nothing. */
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
