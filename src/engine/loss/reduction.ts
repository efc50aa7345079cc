/**
 * How the loss terms of single tokens become one number: L = Σ over tokens of w · ℓ. T_i is the number of completion tokens of sequence
 * i, B the number of sequences, L_max the longest completion that the settings allow. Sequences that are masked (cut answers, where those are left
 * out) have w = 0; they count in B, as in TRL, and not among the tokens.
 */
import { ownReduction, type LossName, type Reduction } from './lossRows.ts';

/** What a run's settings ask for; `auto` is what the loss's own system does. */
export function reductionOf(
  loss: LossName,
  chosen: Reduction | 'auto',
  clipMeaning: 'ratio_bounds' | 'epsilon' = 'ratio_bounds',
): Reduction {
  return chosen === 'auto' ? ownReduction(loss, clipMeaning) : chosen;
}

export interface Reducible {
  /** Completion tokens. */
  readonly tokens: ArrayLike<unknown>;
  /** Left out of the loss. */
  readonly masked?: boolean;
}

/** The same w for every token of a sequence: `numerator(sequence) / denominator(mini-batch)` */
export interface TokenWeights {
  numerator(sequence: Reducible): number;
  /** For the sequences of mini-batch `part` of the `parts` that make up one update. */
  denominator(parts: readonly (readonly Reducible[])[], part: number): number;
}

/** Completion tokens that count, at least 1. */
export const countedTokens = (sequences: readonly Reducible[]): number =>
  Math.max(
    1,
    sequences.reduce((sum, { tokens, masked }) => sum + (masked === true ? 0 : tokens.length), 0),
  );

/** `maxTokens`: L_max. `updateTokens`: mean tokens of the updates of the batch; those of the update itself where it is all of the batch. */
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

/** The weight of each sequence's tokens where `sequences` are one update, trained on at once. */
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
