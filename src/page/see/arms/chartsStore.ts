/** What the charts draw beside the current run, and how a person wants them drawn; the latter is kept in this browser. This module alone changes it. */
import { create } from 'zustand';
import { USUAL_SMOOTHING } from '@rl-playground/base/smoothing';
import type { KeptRecord } from '@rl-playground/run/kept';

/** The strongest smoothing that the control offers. */
export const MOST_SMOOTHING = 0.99;

export interface ChartView {
  /** β of the moving averages; 0: values alone. */
  readonly smoothing: number;
  /** Charts beside the main ones, by their ids, in the order in which they were pinned. */
  readonly pinned: readonly string[];
  /** Charts whose vertical axis is logarithmic. */
  readonly log: readonly string[];
  /** Charts whose band, where they can have one, is not what they begin with. */
  readonly bands: readonly string[];
}

const KEY = 'rl-playground-charts';
const USUAL: ChartView = { smoothing: USUAL_SMOOTHING, pinned: [], log: [], bands: [] };

const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/** What was kept; what is no view of charts counts as not kept. */
export function chartViewOf(text: string | null): ChartView {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    if (typeof kept !== 'object' || kept === null) return USUAL;
    const { smoothing, pinned, log, bands } = kept as Partial<Record<keyof ChartView, unknown>>;
    const isStrength = typeof smoothing === 'number' && smoothing >= 0 && smoothing <= MOST_SMOOTHING;
    return {
      smoothing: isStrength ? smoothing : USUAL_SMOOTHING,
      pinned: namesOf(pinned),
      log: namesOf(log),
      bands: namesOf(bands),
    };
  } catch {
    return USUAL;
  }
}

function keptView(): ChartView {
  try {
    return chartViewOf(localStorage.getItem(KEY));
  } catch {
    // Storage is blocked.
    return USUAL;
  }
}

/** Most that are drawn at once. */
export const MOST_ARMS = 5;

/** A run, or runs of the same settings with several seeds. */
export interface Arm {
  /** Of the run, or of the group. */
  readonly id: string;
  readonly name: string;
  readonly colour: string;
  readonly runs: readonly string[];
  readonly records: readonly Pick<KeptRecord, 'config' | 'metrics' | 'evaluations'>[];
  /** Of a recording, how often it was played: its curves grow into view, each time anew. */
  readonly plays?: number;
}

export interface ChartsState {
  /** In the order in which they were chosen. */
  readonly arms: readonly Arm[];
  /** What the others are held against; null: the first. */
  readonly pinned: string | null;
  /** A run that was recorded elsewhere, until there is one of one's own. */
  readonly recorded: Arm | null;
  /** Runs of several seeds that are being made, one after the other: how many are done. */
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

/** Draws an arm, in the place of one of its id where there is one. */
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

/** The first of the colours that no arm has. */
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

/** Puts a chart among those, or takes it out. */
export function toggleChart(what: 'pinned' | 'log' | 'bands', id: string): void {
  const before = useCharts.getState().view[what];
  changeView({ [what]: before.includes(id) ? before.filter((each) => each !== id) : [...before, id] });
}
