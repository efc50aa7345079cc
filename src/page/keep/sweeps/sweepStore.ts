/** Whether the dialog of sweeps is open, and the files that were chosen for it. Small: the page loads it at once. */
import { create } from 'zustand';
import type { ChosenFile } from '../../../run/chosenFiles.ts';

export const useSweep = create<{
  readonly opened: boolean;
  /** Of a sweep's folder, or its file alone. */
  readonly chosen: readonly ChosenFile[];
}>(() => ({ opened: false, chosen: [] }));

const FILE = /(^|\/)sweep\.json$/;

/** The file that says what the sweep is; undefined where these are files of something else. */
export const sweepFileIn = (chosen: readonly ChosenFile[]): ChosenFile | undefined =>
  chosen.find(({ path }) => FILE.test(path));
