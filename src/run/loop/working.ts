/** Right answers whose shown working is wrong: a reward for the end alone pays a guess as much as an answer that was worked out. */
import { wilson95, type Interval } from '@rl-playground/base/intervals';
import type { EvalSample } from './evaluate.ts';

/** The share of a working that is right below which it counts as wrong: a slip, and another way to the end, are not. */
const WRONG_BELOW = 0.5;

export interface WrongWorking {
  /** The share of the right answers with working whose working is wrong. */
  readonly share: number;
  /** The number of right answers that show working. */
  readonly n: number;
  /** 95 %, by problem. */
  readonly interval: Interval | null;
}

/** The measure of an evaluation's sampled answers; null where none of the right ones shows working that can be checked. */
export function wrongWorking({
  samples,
}: {
  readonly samples: readonly Pick<EvalSample, 'correct' | 'working'>[];
}): WrongWorking | null {
  const shown = samples.flatMap(({ correct, working }) =>
    correct && working !== undefined ? [working] : [],
  );
  if (shown.length === 0) return null;
  const share = shown.filter((working) => working < WRONG_BELOW).length / shown.length;
  return { share, n: shown.length, interval: wilson95(share, shown.length) };
}
