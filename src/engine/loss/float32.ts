/**
 * Advantages in f32, as TRL computes them. If rewards hardly differ, the error of their mean is divided by little more than 1e-4, and
 * shows. A run computes in float64; this arithmetic serves comparisons with TRL's numbers.
 */
import type { Arithmetic } from './advantages.ts';

const round = Math.fround;

function mean(values: readonly number[]): number {
  return round(values.reduce((sum, value) => round(sum + value), 0) / values.length);
}

/** The deviation around the rounded mean: equal rewards that differ from it have a spread. */
function deviation(values: readonly number[]): number {
  const count = values.length;
  if (count < 2) return 0;
  const centre = mean(values);
  const variance = mean(values.map((value) => round(round(value - centre) ** 2)));
  return round(Math.sqrt(round(variance * round(count / (count - 1)))));
}

export const FLOAT32: Arithmetic = { round, mean, deviation };
