import type { ChosenFile } from '@rl-playground/run/session';

const FILE = /(^|\/)sweep\.json$/;

/** The sweep.json among the files. */
export const sweepFileIn = (chosen: readonly ChosenFile[]): ChosenFile | undefined =>
  chosen.find(({ path }) => FILE.test(path));
