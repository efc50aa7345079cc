/**
 * Reduces the loss terms of single tokens to one number: L = Σ over tokens of w · ℓ. T_i is the number of completion tokens of sequence
 * i, B the number of sequences, L_max the longest completion that the settings allow. Masked sequences (cut answers, if these are left
 * out) have w = 0; they count in B, as in TRL, and not among the tokens.
 */
import { ownReduction, type LossName, type Reduction } from './lossRows.ts';

/** Returns the reduction that a run's settings ask for; `auto` is that of the loss's own system. */
export function reductionOf(
  loss: LossName,
  chosen: Reduction | 'auto',
  clipMeaning: 'ratio_bounds' | 'epsilon' = 'ratio_bounds',
): Reduction {
  return chosen === 'auto' ? ownReduction(loss, clipMeaning) : chosen;
}

export interface Reducible {
  readonly tokens: ArrayLike<unknown>;
  /** True if the sequence is left out of the loss. */
  readonly masked?: boolean;
}

/** The weights w = `numerator(sequence) / denominator(mini-batch)`, the same for every token of a sequence. */
export interface TokenWeights {
  numerator(sequence: Reducible): number;
  /** The divisor for the sequences of mini-batch `part` among the `parts` of one update. */
  denominator(parts: readonly (readonly Reducible[])[], part: number): number;
}

/** The number of completion tokens that count, at least 1. */
export const countedTokens = (sequences: readonly Reducible[]): number =>
  Math.max(
    1,
    sequences.reduce((sum, { tokens, masked }) => sum + (masked === true ? 0 : tokens.length), 0),
  );

/**
 * `maxTokens` is L_max. `updateTokens` is the mean number of tokens of the batch's updates; by default that of the update, which is then
 * the whole batch.
 */
export function tokenWeights(
  reduction: Reduction,
  maxTokens: number,
  updateTokens: number | null = null,
): TokenWeights {
  const numerator = (of: (sequence: Reducible) => number) => (sequence: Reducible) =>
    sequence.masked === true ? 0 : of(sequence);
  const size = (parts: readonly (readonly Reducible[])[]): number =>
    Math.max(
      1,
      parts.reduce((sum, part) => sum + part.length, 0),
    );
  switch (reduction) {
    case 'sum':
      return { numerator: numerator(() => 1), denominator: () => 1 };
    case 'sequence_sum':
      return { numerator: numerator(() => 1), denominator: size };
    case 'sequence_mean':
      return { numerator: numerator(({ tokens }) => 1 / tokens.length), denominator: size };
    case 'token_mean':
      return { numerator: numerator(() => 1), denominator: (parts) => countedTokens(parts.flat()) };
    case 'batch_token_mean':
      return {
        numerator: numerator(() => 1),
        denominator: (parts) => updateTokens ?? countedTokens(parts.flat()),
      };
    case 'minibatch_token_mean':
      return {
        numerator: numerator(() => 1),
        denominator: (parts, part) => parts.length * countedTokens(parts[part] ?? []),
      };
    case 'max_length':
      return { numerator: numerator(() => 1 / maxTokens), denominator: size };
  }
}

/** The weight of each sequence's tokens if `sequences` are one update, trained on at once. */
export function weightsOfWhole(
  sequences: readonly Reducible[],
  reduction: Reduction,
  maxTokens: number,
): (index: number) => number {
  const weights = tokenWeights(reduction, maxTokens);
  const denominator = weights.denominator([sequences], 0);
  return (index) => {
    const sequence = sequences[index];
    return sequence === undefined ? 0 : weights.numerator(sequence) / denominator;
  };
}
