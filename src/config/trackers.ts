/** The trackers that a run can be sent to, and the command that does it (`cli/track.ts`). */

export const TRACK_TARGETS = ['tensorboard', 'wandb', 'mlflow', 'trackio'] as const;
export type TrackTarget = (typeof TRACK_TARGETS)[number];

export const isTrackTarget = (word: unknown): word is TrackTarget =>
  TRACK_TARGETS.some((target) => target === word);

/** A tracker that a settings file asks for. */
export interface AskedTracker {
  readonly target: TrackTarget;
  /** Options behind `--to`, as words. */
  readonly words: readonly string[];
}

/** Stands for the folder of a run that is not there yet. */
const RUN_DIR = 'RUN_DIR';

/** A word as a shell takes it whole. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** As it is typed. */
export function trackCommand({ target, words }: AskedTracker): string {
  return `npm run track -- ${RUN_DIR} --to ${[target, ...words.map(shellWord)].join(' ')}`;
}

/** A text with commands for the run that is written to `folder`. */
export function withRunFolder(text: string, folder: string): string {
  return text.replaceAll(`npm run track -- ${RUN_DIR} `, () => `npm run track -- ${shellWord(folder)} `);
}
