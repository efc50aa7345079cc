import type { ChosenFile } from '@rl-playground/run/session';

const FILE = /(^|\/)sweep\.json$/;

/** The file that says what the sweep is; undefined where these are files of something else. */
export const sweepFileIn = (chosen: readonly ChosenFile[]): ChosenFile | undefined =>
  chosen.find(({ path }) => FILE.test(path));
