/** How a person wants charts drawn; kept in this browser. */
import { create } from 'zustand';
import { USUAL_SMOOTHING } from '@rl-playground/base/smoothing';

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

export const useChartView = create<ChartView>(keptView);

function change(changes: Partial<ChartView>): void {
  useChartView.setState(changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(useChartView.getState()));
  } catch {
    // Storage is blocked or full: it holds until the page is closed.
  }
}

export function setSmoothing(smoothing: number): void {
  change({ smoothing: Math.min(MOST_SMOOTHING, Math.max(0, smoothing)) });
}

/** Puts a chart among those, or takes it out. */
export function toggleChart(what: 'pinned' | 'log' | 'bands', id: string): void {
  const before = useChartView.getState()[what];
  change({ [what]: before.includes(id) ? before.filter((each) => each !== id) : [...before, id] });
}
