/** The runs that charts draw beside the current one, and the strength of smoothing, which this browser keeps. This module alone changes them. */
import { create } from 'zustand';
import { USUAL_SMOOTHING } from '@rl-playground/base/smoothing';
import type { KeptRecord } from '@rl-playground/run/kept';
import { sameValue, type RunConfig } from '@rl-playground/run/settings';
import { remember, remembered } from '../../ui/files/remember.ts';

/** The strongest smoothing that the control offers. */
export const MOST_SMOOTHING = 0.99;

const KEY = 'rl-playground-smoothing';

/** Reads the strength of smoothing that was kept; anything else is the usual one. */
export function smoothingOf(text: string | null): number {
  const kept = Number.parseFloat(text ?? '');
  return kept >= 0 && kept <= MOST_SMOOTHING ? kept : USUAL_SMOOTHING;
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
}

/** The last run of a recipe as it goes wrong, and under its cure. */
export type ZooRuns = Readonly<Partial<Record<'sick' | 'cured', Pick<KeptRecord, 'config' | 'metrics'>>>>;

export type Asked = Pick<RunConfig, 'task' | 'taskConfig' | 'mixture'>;

/** True if two runs asked the same problems for the same reward. The axes of others would mean something else. */
export function asksTheSame(a: Asked, b: Asked): boolean {
  return (['task', 'taskConfig', 'mixture'] as const).every((key) => sameValue(a[key], b[key]));
}

export interface ChartsState {
  /** The runs that a person ticked. */
  readonly arms: readonly Arm[];
  /** The arm that others are compared with; null for the first. */
  readonly pinned: string | null;
  /** The runs of the failure zoo since the page was opened, by recipe. */
  readonly zoo: Readonly<Partial<Record<string, ZooRuns>>>;
  /** A run that was recorded elsewhere, shown until the page has a run. */
  readonly recorded: Arm | null;
  /** The progress of runs with several seeds. */
  readonly queue: { readonly done: number; readonly total: number; readonly stopping: boolean } | null;
  /** β of the moving averages, where 0 means none. */
  readonly smoothing: number;
}

export const useCharts = create<ChartsState>(() => ({
  arms: [],
  pinned: null,
  zoo: {},
  recorded: null,
  queue: null,
  smoothing: smoothingOf(remembered(KEY)),
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

export const showZooRun = (recipe: string, run: ZooRuns): void =>
  useCharts.setState(({ zoo }) => ({ zoo: { ...zoo, [recipe]: { ...zoo[recipe], ...run } } }));

export const showRecording = (recorded: Arm | null): void => useCharts.setState({ recorded });

export const changeQueue = (changes: Partial<NonNullable<ChartsState['queue']>>): void =>
  useCharts.setState(({ queue }) => ({ queue: queue && { ...queue, ...changes } }));

export const showQueue = (queue: ChartsState['queue']): void => useCharts.setState({ queue });

/** The colour of the nth run, which says which run it is and never what was measured. */
export const runColour = (index: number): string => `var(--run-${(index % MOST_ARMS) + 1})`;

export function freeColour(arms: readonly Arm[]): string {
  const colours = Array.from({ length: MOST_ARMS }, (_, i) => runColour(i));
  return colours.find((colour) => arms.every((arm) => arm.colour !== colour)) ?? 'var(--run-5)';
}

export function setSmoothing(smoothing: number): void {
  useCharts.setState({ smoothing });
  remember(KEY, String(smoothing));
}
