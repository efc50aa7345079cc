/** The effects of the policy's entropy on a mini-batch: the choice of tokens that are learned from, and a bonus for staying undecided. */
import type { MarkedSequence, Sequence } from './sequence.ts';

export interface EntropyTerms {
  /**
   * ρ: the policy's term counts only at this share of the tokens, those of the highest entropy, where an answer is decided (Wang et al.
   * 2025, "Beyond the 80/20 rule"; TRL). 1 keeps all.
   */
  readonly topEntropyQuantile: number;
  /** c: the loss is L − c · H, where H is the mean entropy of the tokens that are kept, whatever divides the policy's term. 0 turns it off. */
  readonly entropyCoef: number;
}

/**
 * The q-quantile of values, interpolated between the two around it as in `torch.quantile`, in f32: a GPU would compare with the same
 * number. NaN without values.
 */
export function quantile(values: readonly number[], q: number): number {
  const sorted = Float32Array.from(values).sort();
  const rank = Math.fround(Math.fround(q) * (sorted.length - 1));
  const below = Math.floor(rank);
  const low = sorted[below] ?? NaN;
  const high = sorted[Math.ceil(rank)] ?? NaN;
  return Math.fround(low + Math.fround(rank - below) * (high - low));
}

/**
 * Returns the sequences of one mini-batch with their marks. `entropies` are those of each sequence's tokens under the policy, and are
 * needed if the quantile is below 1. Masked sequences count in neither term.
 */
export function withEntropyTerms(
  sequences: readonly Sequence[],
  { topEntropyQuantile, entropyCoef }: EntropyTerms,
  entropies: readonly ArrayLike<number>[],
): readonly MarkedSequence[] {
  const marksKept = topEntropyQuantile < 1;
  if (!marksKept && entropyCoef === 0) return sequences;
  const keptRows = marksKept
    ? keptTokens(sequences, entropies, topEntropyQuantile)
    : sequences.map(({ tokens, masked }) => tokens.map(() => (masked === true ? 0 : 1)));
  const kept = keptRows.flat().reduce((sum, each) => sum + each, 0);
  const weight = -entropyCoef / Math.max(1, kept);
  return sequences.map((sequence, i) => {
    const row = keptRows[i] ?? [];
    return {
      ...sequence,
      ...(marksKept && { kept: row }),
      ...(entropyCoef > 0 && { entropyWeights: row.map((each) => (each === 0 ? 0 : weight)) }),
    };
  });
}

function keptTokens(
  sequences: readonly Sequence[],
  entropies: readonly ArrayLike<number>[],
  share: number,
): number[][] {
  const counted = sequences.map(({ masked }, i) => (masked === true ? [] : Array.from(entropies[i] ?? [])));
  const least = quantile(counted.flat(), 1 - share);
  return sequences.map(({ tokens }, i) => tokens.map((_, t) => ((counted[i]?.[t] ?? -1) >= least ? 1 : 0)));
}
