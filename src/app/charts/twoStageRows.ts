/** The losses of both stages of a run as rows of one chart. */
import { chartRows, type SeriesPoint } from './series.ts';
import { positionOf, type SftSpan } from './sftSpan.ts';

/** One x position; supervised updates stand left of 0, or at it. */
export interface TwoStageRow {
  readonly step: number;
  taught?: number;
  taughtSmooth?: number;
  policy?: number;
  policySmooth?: number;
}

/** `losses`: of each supervised update so far; `steps`: of each step of reinforcement. In order of position. */
export function twoStageRows(
  losses: readonly number[],
  steps: readonly SeriesPoint[],
  span: SftSpan,
): TwoStageRow[] {
  const taught = chartRows(losses.map((value, i) => ({ step: positionOf(i + 1, span), value })));
  return [
    ...taught.map(({ step, raw, smooth }) => ({ step, taught: raw, taughtSmooth: smooth })),
    ...chartRows(steps).map(({ step, raw, smooth }) => ({ step, policy: raw, policySmooth: smooth })),
  ];
}
