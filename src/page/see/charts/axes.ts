/** The axes of a chart, and the place of the warm-up on the horizontal one. */

/** The place of the supervised updates, left of step 0, where reinforcement starts. */
export interface SftSpan {
  /** The number of updates; 0 without a warm-up. */
  readonly updates: number;
  /** The width of the warm-up in steps: one for each update, but at most a third of the axis of reinforcement. */
  readonly width: number;
}

export const NO_WARM_UP: SftSpan = { updates: 0, width: 0 };

/** The largest width of a warm-up, as a share of reinforcement. */
const LARGEST_SHARE = 1 / 3;

export function sftSpan(updates: number, lastStep: number): SftSpan {
  return { updates, width: Math.min(updates, Math.max(1, lastStep * LARGEST_SHARE)) };
}

/** The position of a step of the log. In the warm-up a step is minus the number of updates still to come. */
export function stepPosition(step: number, { updates, width }: SftSpan): number {
  return step < 0 && updates > 0 ? (step * width) / updates : step;
}

export type Domain = readonly [low: number, high: number];
