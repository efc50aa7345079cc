/** The raw values of a chart as a table, of every step and of all runs that it draws. */
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import type { Series } from './specs/rows.ts';
import type { ChartSpec } from './specs/spec.ts';

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

export interface NamedRun {
  readonly name: string;
  readonly seed: number | null;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
}

/**
 * One row for each run and step. Evaluations are in the row of their step, which is 0 or less before the first one. A value that was not
 * measured leaves its cell empty.
 */
export function stepTable({ title, curves }: ChartSpec, runs: readonly NamedRun[]): Table {
  const nameOf = (name: string): string => (curves.length === 1 ? title : name);
  const columns = curves.flatMap(({ name, value, ofEvaluations, spread, evaluation, greedy }) => [
    ofEvaluations
      ? { title: nameOf(name), step: null, result: ofEvaluations }
      : { title: nameOf(name), step: value, result: null },
    ...(spread ? [{ title: `${nameOf(name)} std`, step: spread, result: null }] : []),
    ...(evaluation ? [{ title: `${nameOf(name)} held-out`, step: null, result: evaluation }] : []),
    ...(greedy ? [{ title: `${nameOf(name)} held-out greedy`, step: null, result: greedy }] : []),
  ]);
  const rows = runs.flatMap(({ name, seed, metrics, evaluations }) => {
    const byStep = new Map(metrics.map((metric) => [metric.step, metric]));
    const asked = columns.some(({ result }) => result !== null) ? evaluations : [];
    const results = new Map(asked.map((result) => [result.step, result]));
    const steps = [...new Set([...byStep.keys(), ...results.keys()])].sort((a, b) => a - b);
    return steps.map((step) => {
      const [metric, result] = [byStep.get(step), results.get(step)];
      const values = columns.map((column) =>
        column.step !== null ? metric && column.step(metric) : result && column.result(result),
      );
      const known = values.map((value) => (value != null && Number.isFinite(value) ? value : null));
      return [name, seed, step, ...known];
    });
  });
  return { columns: ['run', 'seed', 'step', ...columns.map((column) => column.title)], rows };
}

/** The points of curves by their position, with the ends of their bands. */
export function seriesTable({ title, curves, axis }: ChartSpec, series: readonly Series[]): Table {
  const positions = new Set(series.flatMap(({ points }) => points.map(({ step }) => step)));
  const columns = curves.flatMap(({ name }, i) => {
    const column = curves.length === 1 ? title : name;
    return series[i]?.bands ? [column, `${column}, low`, `${column}, high`] : [column];
  });
  const rows = [...positions].map((position) => [
    position,
    ...series.flatMap(({ points, bands }) => {
      const index = points.findIndex(({ step }) => step === position);
      const [low = null, high = null] = bands?.[index] ?? [];
      const value = points[index]?.value ?? null;
      return bands ? [value, low, high] : [value];
    }),
  ]);
  return { columns: [axis?.name ?? 'step', ...columns], rows };
}

/** The table as CSV (RFC 4180). Names of runs are a person's own words, which no spreadsheet may take for a formula. */
export async function csvOf({ columns, rows }: Table): Promise<string> {
  const { default: Papa } = await import('papaparse');
  return Papa.unparse(
    { fields: [...columns], data: rows.map((row) => [...row]) },
    { newline: '\r\n', escapeFormulae: true },
  );
}
