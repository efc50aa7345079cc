/**
 * The runs that charts draw beside the current one, and the view that a person has chosen, which this browser keeps. This module alone
 * changes them.
 */
import { create } from 'zustand';
import { parsedJson } from '@rl-playground/base/json';
import { USUAL_SMOOTHING } from '@rl-playground/base/smoothing';
import type { KeptRecord } from '@rl-playground/run/kept';

/** The strongest smoothing that the control offers. */
export const MOST_SMOOTHING = 0.99;

export interface ChartView {
  /** β of the moving averages, where 0 means none. */
  readonly smoothing: number;
  /** The ids of charts beside the main ones, in the order in which they were pinned. */
  readonly pinned: readonly string[];
  /** The charts with a logarithmic axis. */
  readonly log: readonly string[];
  /** The charts whose band was turned on or off. */
  readonly bands: readonly string[];
}

const KEY = 'rl-playground-charts';

const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/** Reads the view that was kept. Whatever is no part of a view falls back to the usual one. */
export function chartViewOf(text: string | null): ChartView {
  const json = parsedJson(text ?? '{}');
  const kept = ('value' in json ? json.value : null) as Partial<Record<keyof ChartView, unknown>> | null;
  const { smoothing, pinned, log, bands } = kept ?? {};
  const isStrength = typeof smoothing === 'number' && smoothing >= 0 && smoothing <= MOST_SMOOTHING;
  return {
    smoothing: isStrength ? smoothing : USUAL_SMOOTHING,
    pinned: namesOf(pinned),
    log: namesOf(log),
    bands: namesOf(bands),
  };
}

function keptView(): ChartView {
  try {
    return chartViewOf(localStorage.getItem(KEY));
  } catch {
    // Storage is blocked.
    return chartViewOf(null);
  }
}

/** The most arms that are drawn at once. */
export const MOST_ARMS = 5;

/** A run, or runs of the same settings with several seeds. */
export interface Arm {
  readonly id: string;
  readonly name: string;
  readonly colour: string;
  readonly runs: readonly string[];
  readonly records: readonly Pick<KeptRecord, 'config' | 'metrics' | 'evaluations'>[];
  /** The number of times that a recording was played. Its curves grow into view each time. */
  readonly plays?: number;
}

export interface ChartsState {
  readonly arms: readonly Arm[];
  /** The arm that others are compared with; null for the first. */
  readonly pinned: string | null;
  /** A run that was recorded elsewhere, shown until the page has a run. */
  readonly recorded: Arm | null;
  /** The progress of runs with several seeds. */
  readonly queue: { readonly done: number; readonly total: number; readonly stopping: boolean } | null;
  readonly view: ChartView;
}

export const useCharts = create<ChartsState>(() => ({
  arms: [],
  pinned: null,
  recorded: null,
  queue: null,
  view: keptView(),
}));

/** Draws an arm, in place of one with its id. */
export function showArm(arm: Arm): void {
  useCharts.setState(({ arms }) => ({
    arms: arms.some(({ id }) => id === arm.id)
      ? arms.map((each) => (each.id === arm.id ? arm : each))
      : [...arms, arm],
  }));
}

export function hideArm(id: string): void {
  useCharts.setState(({ arms, pinned }) => ({
    arms: arms.filter((arm) => arm.id !== id),
    pinned: pinned === id ? null : pinned,
  }));
}

export const pinArm = (pinned: string | null): void => useCharts.setState({ pinned });

export const showRecording = (recorded: Arm | null): void => useCharts.setState({ recorded });

export const changeQueue = (changes: Partial<NonNullable<ChartsState['queue']>>): void =>
  useCharts.setState(({ queue }) => ({ queue: queue && { ...queue, ...changes } }));

export const showQueue = (queue: ChartsState['queue']): void => useCharts.setState({ queue });

export function freeColour(arms: readonly Arm[]): string {
  const colours = Array.from({ length: MOST_ARMS }, (_, i) => `var(--run-${i + 1})`);
  return colours.find((colour) => arms.every((arm) => arm.colour !== colour)) ?? 'var(--run-5)';
}

function changeView(changes: Partial<ChartView>): void {
  const view = { ...useCharts.getState().view, ...changes };
  useCharts.setState({ view });
  try {
    localStorage.setItem(KEY, JSON.stringify(view));
  } catch {
    // Storage is blocked or full: it holds until the page is closed.
  }
}

export function setSmoothing(smoothing: number): void {
  changeView({ smoothing: Math.min(MOST_SMOOTHING, Math.max(0, smoothing)) });
}

export function toggleChart(what: 'pinned' | 'log' | 'bands', id: string): void {
  const before = useCharts.getState().view[what];
  changeView({ [what]: before.includes(id) ? before.filter((each) => each !== id) : [...before, id] });
}
