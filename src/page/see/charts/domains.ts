/** Where the vertical axes of a chart end, for what it draws. */
import { niceDomain } from '@rl-playground/base/roundAxis';
import { logAxis, type Domain, type LogAxis } from './axes.ts';
import type { ChartRow, CurvePoint } from './specs/rows.ts';
import type { ChartSpec } from './specs/spec.ts';

/** Of the one axis, or of the left and the right one. */
type Domains = readonly [Domain, Domain?];

/** Every number that is drawn of one curve, but for its band. */
const numbersOf = ({ value, smooth, evaluation, greedy }: CurvePoint): readonly (number | undefined)[] => [
  value,
  smooth,
  evaluation,
  greedy,
];

/** The ends of an axis for some numbers, in the least range that the chart asks for. */
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

/** Linear axes that hold all curves with their bands, other runs and the level that matters. */
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

/** A log axis for all that is drawn, bands aside. */
export function logAxisOf({ shape, twoScales, level }: ChartSpec, rows: readonly ChartRow[]): LogAxis {
  if (shape === 'stack') return { refusal: 'its layers stand on 0' };
  if (twoScales === true) return { refusal: 'its curves have two scales' };
  const values = rows
    .flatMap(({ curves }) => curves.flatMap(numbersOf))
    .filter((value) => value !== undefined);
  return logAxis(values.length === 0 || level === undefined ? values : [...values, level.value]);
}
