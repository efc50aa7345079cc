/** Tinker's KL penalty: the distance to the reference shapes the advantages of single tokens; it is no term of the loss. */

export interface ShapingInputs {
  /** Of one completion's tokens: log q, as sampled at temperature 1. */
  readonly samplerLogprobs: ArrayLike<number>;
  readonly referenceLogprobs: ArrayLike<number>;
  /** Tokens of cut answers that are left out of the loss neither count in the average nor get a share. */
  readonly masked?: boolean;
}

export interface Shaping {
  /** What is added to the advantage of each token, by sequence. */
  readonly added: number[][];
  /** Mean of log q − log π_ref over the tokens that count: the metric `kl_policy_base`. */
  readonly mean: number;
}

/**
 * With d_t = log q_t − log π_ref,t and avg its mean over the tokens of the batch, A_t gains x_t = coef · (avg − d_t); with a discount
 * γ > 0 it gains Σ_{k ≥ 0} γ^k x_{t+k} instead. Without the discount all gains sum to zero. Left out of the original: there the discounted sum
 * also reaches the prompt's positions, which then train; ours ends with the completion.
 */
export function klShaping(
  sequences: readonly ShapingInputs[],
  coefficient: number,
  discount: number,
): Shaping {
  let sum = 0;
  let count = 0;
  for (const { samplerLogprobs, referenceLogprobs, masked } of sequences) {
    if (masked === true) continue;
    for (let t = 0; t < samplerLogprobs.length; t++) {
      sum += (samplerLogprobs[t] ?? NaN) - (referenceLogprobs[t] ?? NaN);
      count++;
    }
  }
  const mean = count === 0 ? 0 : sum / count;
  const added = sequences.map(({ samplerLogprobs, referenceLogprobs, masked }) => {
    const gains = Array.from(samplerLogprobs, (logprob, t) =>
      masked === true ? 0 : coefficient * (mean - (logprob - (referenceLogprobs[t] ?? NaN))),
    );
    if (discount > 0)
      for (let t = gains.length - 2; t >= 0; t--) gains[t] = (gains[t] ?? 0) + discount * (gains[t + 1] ?? 0);
    return gains;
  });
  return { added, mean };
}
