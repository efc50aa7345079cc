/** The ends of the vertical axis of a chart. */
import { niceDomain } from '@rl-playground/base/roundAxis';
import type { Domain } from './axes.ts';
import type { ChartRow } from './specs/rows.ts';
import type { ChartSpec } from './specs/spec.ts';

/**
 * The ends for all curves of the current run with their bands, for those of other runs and the level, at least as wide as the chart asks for. An
 * interval over few seeds is much wider than the curves: the plot cuts it off.
 */
export function domainOf({ curves, shape, level, range }: ChartSpec, rows: readonly ChartRow[]): Domain {
  const own = shape === 'stack' ? curves.length : 0;
  const numbers = rows.flatMap((row) => [
    ...(own > 0 ? [row.curves.slice(0, own).reduce((sum, { value = 0 }) => sum + value, 0)] : []),
    ...row.curves.flatMap(({ value, smooth, evaluation, greedy, band = [] }, i) => {
      if (i < own) return [];
      return [value, smooth, evaluation, greedy, ...(i < curves.length ? band : [])];
    }),
  ]);
  let [low, high] = [range[0] ?? Infinity, range[1] ?? -Infinity];
  for (const number of [...numbers, level?.value]) {
    if (number === undefined) continue;
    if (number < low) low = number;
    if (number > high) high = number;
  }
  return niceDomain(low, high);
}
