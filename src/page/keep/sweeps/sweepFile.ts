import type { ChosenFile } from '../../../run/chosenFiles.ts';

const FILE = /(^|\/)sweep\.json$/;

/** The sweep.json among the files. */
export const sweepFileIn = (chosen: readonly ChosenFile[]): ChosenFile | undefined =>
  chosen.find(({ path }) => FILE.test(path));
