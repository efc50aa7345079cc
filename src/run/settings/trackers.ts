/** The trackers that a run can be sent to, and the command that does it (`src/cli/track.ts`). */

export const TRACK_TARGETS = ['tensorboard', 'wandb', 'mlflow', 'trackio'] as const;
export type TrackTarget = (typeof TRACK_TARGETS)[number];

export const isTrackTarget = (word: unknown): word is TrackTarget =>
  TRACK_TARGETS.some((target) => target === word);

/** Options of `npx rl-playground track` that name a place at a tracker. */
export const PLACE_OPTIONS = ['project', 'name', 'entity', 'space', 'url', 'dir'] as const;
export type TrackerPlace = { readonly [option in (typeof PLACE_OPTIONS)[number]]?: string };

/** A tracker that a settings file asks for. */
export interface AskedTracker {
  readonly target: TrackTarget;
  readonly place: TrackerPlace;
  /** The file that names the place; absent where a person has named it here. */
  readonly namedBy?: string;
}

/** Stands for the folder of a run that is not there yet. */
const RUN_DIR = 'RUN_DIR';

/** The text as one word of a shell's command line, whatever it holds. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

export function trackCommand({ target, place }: AskedTracker): string {
  const words = Object.entries(place).flatMap(([option, value]) => [`--${option}`, shellWord(value)]);
  return `npx rl-playground track ${RUN_DIR} --to ${[target, ...words].join(' ')}`;
}

/** A text with commands for the run that is written to `folder`. */
export function withRunFolder(text: string, folder: string): string {
  return text.replaceAll(
    `npx rl-playground track ${RUN_DIR} `,
    () => `npx rl-playground track ${shellWord(folder)} `,
  );
}
