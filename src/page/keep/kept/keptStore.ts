/** The runs that this browser keeps, as the page draws them. */
import { create } from 'zustand';
import type { KeptRun } from '../../../run/kept/runStore.ts';

/** What a person says of a run, and what is to become of it. */
export interface RunLabel {
  readonly run: string;
  /** In place of the name that its id gives it. */
  readonly name?: string | undefined;
  readonly note?: string | undefined;
  /** Runs of the same settings with one seed after the other have the same. */
  readonly group?: string | undefined;
  /** What it was forked from. */
  readonly parent?: { readonly run: string; readonly step: number } | undefined;
  /** Milliseconds since 1970, when it was deleted: its files go when the page is next opened. */
  readonly deleted?: number | undefined;
}

export interface KeptState {
  /** The newest first. */
  readonly runs: readonly KeptRun[];
  /** By the run. */
  readonly labels: Readonly<Record<string, RunLabel>>;
  /** Null where the browser does not say. */
  readonly storage: { readonly used: number; readonly quota: number } | null;
  /** Whether the newest run is offered at the top; it is from the start where there is one to go on with. */
  readonly offered: boolean;
  /** The run that something is done with. */
  readonly busy: string | null;
}

export const useKept = create<KeptState>(() => ({
  runs: [],
  labels: {},
  storage: null,
  offered: false,
  busy: null,
}));

/** Those that were not deleted. */
export function present({ runs, labels }: Pick<KeptState, 'runs' | 'labels'>): KeptRun[] {
  return runs.filter(({ run }) => labels[run]?.deleted === undefined);
}
