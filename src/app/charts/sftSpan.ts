/** Where the supervised updates before reinforcement stand on the axis of steps: left of step 0, where reinforcement starts. */

export interface SftSpan {
  /** Updates of the warm-up; 0 without one. */
  readonly updates: number;
  /** Steps of the axis that they take up: one each, or all together a third of what reinforcement has. */
  readonly width: number;
}

/** Of the width of reinforcement, so that a long warm-up leaves room for it. */
const LARGEST_SHARE = 1 / 3;

export function sftSpan(updates: number, lastStep: number): SftSpan {
  return { updates, width: Math.min(updates, Math.max(1, lastStep * LARGEST_SHARE)) };
}

/** The position of an update (1 for the first); the last stands at 0. */
export function positionOf(update: number, { updates, width }: SftSpan): number {
  return ((update - updates) * width) / updates;
}

/** The position of a step of the log, which is below 0 inside the warm-up: minus the updates still to come. */
export function stepPosition(step: number, { updates, width }: SftSpan): number {
  return step < 0 && updates > 0 ? (step * width) / updates : step;
}

/** The update at a position left of 0. */
export function updateAt(position: number, { updates, width }: SftSpan): number {
  return Math.round(updates + (position * updates) / width);
}

/** Round numbers of steps from 0 on, about `count` of them and none beyond `lastStep`. */
export function stepTicks(lastStep: number, count: number): number[] {
  const rough = Math.max(1, lastStep / count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const between = Math.max(1, factor * power);
  return Array.from({ length: Math.floor(lastStep / between) + 1 }, (_, i) => i * between);
}
