/** How far the sampler's probabilities were from the trainer's, in one step or over many. */
import type { StepMetrics } from '../../rl/metrics/index.ts';

export interface Agreement {
  /** The largest |log q − log p| of a token, nats, in f32. */
  readonly greatest: number;
  /** Share of the tokens without any difference. */
  readonly exact: number;
  readonly tokens: number;
}

/** Rounding stays well below: 1e-6 to 2e-5 nats on the models of the page. */
export const ROUNDING = 1e-4;

/** Of the tokens that `steps` compared; null where there are none, as in logs from before it was measured. */
export function agreementOf(steps: readonly StepMetrics[]): Agreement | null {
  const sums = { greatest: 0, exact: 0, tokens: 0 };
  for (const { mismatchMax, mismatchExact, mismatchTokens } of steps) {
    sums.greatest = Math.max(sums.greatest, mismatchMax ?? 0);
    sums.exact += mismatchExact ?? 0;
    sums.tokens += mismatchTokens ?? 0;
  }
  return sums.tokens === 0 ? null : { ...sums, exact: sums.exact / sums.tokens };
}
