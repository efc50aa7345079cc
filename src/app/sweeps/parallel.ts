/** Parallel coordinates: an axis for each setting that varies and one for the outcome, a line for each row of a sweep's table. */
import { settingText, type MeasureName, type SweepRow } from '../../run/sweeps/sweepTable.ts';

export interface Tick {
  readonly text: string;
  /** From 0, the bottom, to 1. */
  readonly at: number;
}

export interface Axis {
  readonly name: string;
  readonly ticks: readonly Tick[];
  /** Of each row, in their order. */
  readonly at: readonly number[];
}

/** Numbers by their size, anything else as it comes. */
function inOrder(values: readonly unknown[]): unknown[] {
  const distinct = [...new Map(values.map((value) => [settingText(value), value])).values()];
  return distinct.every((value) => typeof value === 'number')
    ? distinct.toSorted((a, b) => Number(a) - Number(b))
    : distinct;
}

/** A grid has few values: they stand at equal distances, so that 0.0001, 0.0003 and 0.001 can be told apart. */
function choiceAxis(name: string, values: readonly unknown[]): Axis {
  const ticks = inOrder(values).map((value, i, { length }) => ({
    text: settingText(value),
    at: length > 1 ? i / (length - 1) : 0.5,
  }));
  const places = new Map(ticks.map(({ text, at }) => [text, at]));
  return { name, ticks, at: values.map((value) => places.get(settingText(value)) ?? 0) };
}

function outcomeAxis(name: string, values: readonly number[]): Axis {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const place = (value: number): number => (high > low ? (value - low) / (high - low) : 0.5);
  const marks = high > low ? [low, (low + high) / 2, high] : [low];
  return {
    name,
    ticks: marks.map((value) => ({ text: value.toFixed(3), at: place(value) })),
    at: values.map(place),
  };
}

/** Rows without that outcome are left out; the last axis is the outcome's. Null for no row. */
export function parallelAxes(
  rows: readonly SweepRow[],
  settings: readonly string[],
  measure: MeasureName,
  name: string,
): { readonly rows: readonly SweepRow[]; readonly axes: readonly Axis[] } | null {
  const known = rows.flatMap((row) => (row[measure].after === null ? [] : [row]));
  if (known.length === 0) return null;
  const tasks = new Set(known.map(({ task }) => task));
  const axes = [
    ...(tasks.size > 1
      ? [
          choiceAxis(
            'task',
            known.map(({ task }) => task),
          ),
        ]
      : []),
    ...settings.map((setting) =>
      choiceAxis(
        setting,
        known.map((row) => row.settings[setting]),
      ),
    ),
    outcomeAxis(
      name,
      known.map((row) => row[measure].after?.mean ?? 0),
    ),
  ];
  return { rows: known, axes };
}
