/** The list of runs that this browser keeps, as the page draws it. */
import { create } from 'zustand';
import type { KeptRun } from '../../run/kept/runStore.ts';

export interface KeptState {
  readonly runs: readonly KeptRun[];
  /** Null where the browser does not say. */
  readonly storage: { readonly used: number; readonly quota: number } | null;
  /** Whether the list is shown; it is from the start where there is a run to go on with. */
  readonly shown: boolean;
  /** The run that something is done with. */
  readonly busy: string | null;
}

export const useKept = create<KeptState>(() => ({ runs: [], storage: null, shown: false, busy: null }));
