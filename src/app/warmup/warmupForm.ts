/** What the form becomes when a warm-up is asked for. */
import { setValue } from '../actions.ts';
import { useApp } from '../store.ts';
import { useWarmupRows } from './warmupRows.ts';

/** Updates of a warm-up that is switched on, where the preset has none. */
export const FIRST_UPDATES = 100;

/** What the settings name before a file is chosen. */
const NO_FILE_YET = 'rows.jsonl';

/** Learns from the file at hand, or from one that is still to be chosen. */
export function learnFromFile(): void {
  setValue('warmStartData', useWarmupRows.getState().file?.name ?? NO_FILE_YET);
}

/** A file of rows asks for a warm-up, if there is none yet. */
export function switchOn(): void {
  if (useApp.getState().form.warmStartSteps === 0) setValue('warmStartSteps', FIRST_UPDATES);
}
