/** The ends of the vertical axes of a chart. */
import { niceDomain } from '@rl-playground/base/roundAxis';
import { logAxis, type Domain, type LogAxis } from './axes.ts';
import type { ChartRow, CurvePoint } from './specs/rows.ts';
import type { ChartSpec } from './specs/spec.ts';

/** The ends of the left axis, and of the right one if there is one. */
type Domains = readonly [Domain, Domain?];

/** The numbers that are drawn of one curve, without its band. */
const numbersOf = ({ value, smooth, evaluation, greedy }: CurvePoint): readonly (number | undefined)[] => [
  value,
  smooth,
  evaluation,
  greedy,
];

/** The ends of an axis for some numbers, at least as wide as the chart asks for. */
function endsOf({ range }: Pick<ChartSpec, 'range'>, numbers: Iterable<number | undefined>): Domain {
  const [least, most] = range === 'auto' ? [0, null] : range;
  let [low, high] = [least ?? Infinity, most ?? -Infinity];
  for (const number of numbers) {
    if (number === undefined) continue;
    if (number < low) low = number;
    if (number > high) high = number;
  }
  return niceDomain(low, high);
}

/** The linear axes for all curves with their bands, other runs and the level. */
export function domainsOf(spec: ChartSpec, rows: readonly ChartRow[]): Domains {
  const { curves, shape, level, twoScales = false } = spec;
  if (twoScales) {
    const ofCurve = (index: number): Domain =>
      endsOf(
        spec,
        rows.flatMap((row) => numbersOf(row.curves[index] ?? {})),
      );
    return [ofCurve(0), ofCurve(1)];
  }
  const own = shape === 'stack' ? curves.length : 0;
  const numbers = rows.flatMap((row) => [
    ...(own > 0 ? [row.curves.slice(0, own).reduce((sum, { value = 0 }) => sum + value, 0)] : []),
    ...row.curves.slice(own).flatMap((point) => [...numbersOf(point), ...(point.band ?? [])]),
  ]);
  return [endsOf(spec, [...numbers, level?.value])];
}

/** The logarithmic axis for all curves without their bands. */
export function logAxisOf({ shape, twoScales, level }: ChartSpec, rows: readonly ChartRow[]): LogAxis {
  if (shape === 'stack') return { refusal: 'its layers stand on 0' };
  if (twoScales === true) return { refusal: 'its curves have two scales' };
  const values = rows
    .flatMap(({ curves }) => curves.flatMap(numbersOf))
    .filter((value) => value !== undefined);
  return logAxis(values.length === 0 || level === undefined ? values : [...values, level.value]);
}
