/** Other runs that the charts draw beside the current one. */
import { create } from 'zustand';
import type { KeptRecord } from '../../../run/kept/keptRecord.ts';

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

export interface CompareState {
  /** In the order in which they were chosen. */
  readonly arms: readonly Arm[];
  /** What the others are held against; null: the first. */
  readonly pinned: string | null;
  /** A run that was recorded elsewhere, until there is one of one's own. */
  readonly recorded: Arm | null;
  /** Runs of several seeds that are being made, one after the other: how many are done. */
  readonly queue: { readonly done: number; readonly total: number; readonly stopping: boolean } | null;
}

export const useCompare = create<CompareState>(() => ({
  arms: [],
  pinned: null,
  recorded: null,
  queue: null,
}));

/** The first of the colours that no arm has. */
export function freeColour(arms: readonly Arm[]): string {
  const colours = Array.from({ length: MOST_ARMS }, (_, i) => `var(--run-${i + 1})`);
  return colours.find((colour) => arms.every((arm) => arm.colour !== colour)) ?? 'var(--run-5)';
}
