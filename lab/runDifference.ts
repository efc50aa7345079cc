/** Compares one run in two browsers: which of its metrics are the same, and by how much the others differ. */

export interface MetricDifference {
  readonly key: string;
  /** The largest difference of all steps, relative to the value's size. */
  readonly relative: number;
}

export interface RunDifference {
  /** Metrics whose values are the same to the bit in every step. */
  readonly exact: readonly string[];
  /** Metrics that differ only as the roundings of `Math.exp` and `Math.log` do, which engines choose. */
  readonly close: readonly MetricDifference[];
  readonly apart: readonly MetricDifference[];
}

/** The largest sum of some thousand roundings of a double. */
const CLOSE = 1e-9;

function relativeDifference(a: unknown, b: unknown): number {
  if (Object.is(a, b)) return 0;
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Infinity;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  if (left.length !== right.size) return Infinity;
  return Math.max(0, ...left.map(([key, value]) => relativeDifference(value, right.get(key))));
}

/** Compares runs. `ignored` are metrics of the machine and its clock. Runs of different lengths differ in all metrics. */
export function runDifference(
  usual: readonly Readonly<Record<string, unknown>>[],
  other: readonly Readonly<Record<string, unknown>>[],
  ignored: ReadonlySet<string>,
): RunDifference {
  const keys = new Set([...usual, ...other].flatMap((step) => Object.keys(step)));
  const differences = [...keys]
    .filter((key) => !ignored.has(key))
    .map((key) => ({
      key,
      relative:
        usual.length === other.length
          ? Math.max(0, ...usual.map((step, i) => relativeDifference(step[key], other[i]?.[key])))
          : Infinity,
    }));
  return {
    exact: differences.filter(({ relative }) => relative === 0).map(({ key }) => key),
    close: differences.filter(({ relative }) => relative > 0 && relative <= CLOSE),
    apart: differences.filter(({ relative }) => !(relative <= CLOSE)),
  };
}
