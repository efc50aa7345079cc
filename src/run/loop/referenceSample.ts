/**
 * The choice of the answers that are compared with the reference. Where the KL divergence is a term of the loss or of the advantages, all are. Where
 * it is only a figure, a forward pass over every answer would cost a quarter of training: a share of them is measured then, and each stands for as
 * many as it takes (Horvitz and Thompson 1952), so that the figure's expected value is that of all of them.
 */
import type { Draw } from '@rl-playground/base/random';
import type { RunConfig } from '../settings/schema/schema.ts';

/** The fewest answers to measure, if there are so many: a figure from fewer is mostly chance. */
const FEWEST = 16;

/** The share of `count` answers that is measured, from 0 (exclusive) to 1. */
export function referenceShare(
  { klBeta, klPenaltyCoef, klMeasuredShare }: Pick<RunConfig, 'klBeta' | 'klPenaltyCoef' | 'klMeasuredShare'>,
  count: number,
): number {
  if (klBeta > 0 || klPenaltyCoef > 0) return 1;
  return Math.min(1, Math.max(klMeasuredShare, FEWEST / count));
}

/**
 * The number of answers that each answer of these lengths stands for: 1 / share if it is chosen, else 0. Every answer is chosen with a
 * probability of `share`. The choice is systematic: by length, one after every 1 / share, from a drawn start, so that long and short answers are
 * chosen alike and the number of tokens hardly varies.
 */
export function referenceWeights(lengths: readonly number[], share: number, draw: Draw): number[] {
  if (share === 1) return lengths.map(() => 1);
  const weights = lengths.map(() => 0);
  const byLength = lengths.map((_, i) => i).sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  for (let at = draw() / share; at < lengths.length; at += 1 / share) {
    weights[byLength[Math.floor(at)] ?? 0] = 1 / share;
  }
  return weights;
}
