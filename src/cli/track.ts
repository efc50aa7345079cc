/** `npx rl-playground track`: a run directory's metrics, evaluations and settings to a tracker, and its completions as parquet. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { inside } from '@rl-playground/engine/parts/node';
import { BadInput, orBadInput } from '@rl-playground/base/errors';
import { isJsonObject } from '@rl-playground/base/json';
import { plural } from '@rl-playground/base/text';
import { TRACK_TARGETS, type TrackerPlace, type TrackTarget } from '@rl-playground/run/settings';
import { RUN_DIRECTORY } from '@rl-playground/run/directory';
import { Interruption } from './interruption.ts';
import { checkRunFolder } from './recordedRun.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from './program.ts';
import { writeRolloutsParquet } from './rolloutsParquet.ts';
import { readText, FolderTaken, isRunning, lockFolder } from '@rl-playground/run/disk';
import {
  deliver,
  phaseOf,
  destinationOf,
  USUAL_PATIENCE,
  type Patience,
  stateFolder,
  TrackState,
  flatSettings,
} from '@rl-playground/bridges/trackers';

const TARGETS = [...TRACK_TARGETS, 'parquet'] as const;
type Target = TrackTarget | 'parquet';

export interface TrackOptions extends TrackerPlace {
  readonly to?: string;
  readonly follow?: true;
  readonly writer?: number;
}

const line = () =>
  command(
    'npx rl-playground track',
    'Sends the metrics, evaluations and settings of a run directory to a tracker, once or as they are written, and goes on where it was ended. Keys come from the environment and are written nowhere.',
    'runs/reverse-1 --to tensorboard',
  )
    .argument('[run-directory]', 'folder that npx rl-playground train --out wrote, or writes')
    .option(
      '--to <target>',
      `${TRACK_TARGETS.join(', ')}; parquet writes rollouts.parquet from rollouts.jsonl`,
    )
    .option('--follow', 'stay until the run has ended, and send what it writes')
    .option('--project <name>', 'project of W&B or Trackio, experiment of MLflow (rl-playground)')
    .option('--name <name>', "name of the run there (the folder's)")
    .option('--entity <name>', 'user or team of W&B that the project belongs to')
    .option('--space <owner/name>', 'Space of the Hub on which Trackio runs')
    .option('--url <url>', 'address of the server of MLflow or Trackio, or of a W&B of your own')
    .option(
      '--dir <folder>',
      'where TensorBoard\u2019s event file is written (tensorboard in the run directory), or rollouts.parquet (the run directory)',
    )
    .option('--writer <pid>', 'process that writes the run, which ends when it does', wholeNumber(1))
    .addHelpText(
      'after',
      `\nEnvironment:\n  wandb: WANDB_API_KEY, WANDB_PROJECT, WANDB_ENTITY, WANDB_BASE_URL\n` +
        `  mlflow: MLFLOW_TRACKING_URI, MLFLOW_TRACKING_TOKEN, MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, MLFLOW_EXPERIMENT_NAME\n` +
        `  trackio: TRACKIO_SERVER_URL and TRACKIO_WRITE_TOKEN, or TRACKIO_SPACE_ID and HF_TOKEN; TRACKIO_PROJECT`,
    );

/** @throws BadInput */
function targetOf(to: string | undefined): Target {
  const target = TARGETS.find((each) => each === to);
  if (target !== undefined) return target;
  const found = to === undefined ? 'it is not said where to' : `"${to}" does not exist`;
  throw new BadInput(`--to: ${found}; choose one of: ${TARGETS.join(', ')}.`);
}

/** @throws BadInput if there is no run directory */
function runFolder(args: readonly string[]): string {
  const [folder, ...others] = args;
  if (folder === undefined)
    throw new BadInput('Name the run directory: npx rl-playground track RUN_DIR --to tensorboard.');
  if (others.length > 0)
    throw new BadInput(`One run directory at a time: ${args.join(', ')} are ${args.length}.`);
  checkRunFolder(folder);
  return folder;
}

/** @throws BadInput */
function settingsOf(folder: string) {
  const path = inside(folder, RUN_DIRECTORY.config);
  return orBadInput(
    () => {
      const json: unknown = JSON.parse(readText(path));
      if (!isJsonObject(json)) throw new Error('it must be an object');
      return flatSettings(json);
    },
    (why) => `${path} can't be read: ${why}.`,
  );
}

/** @throws BadInput if there is nothing to send and nothing will be */
function checkMetrics(folder: string, follow: boolean): void {
  const size = statSync(join(folder, RUN_DIRECTORY.metrics), { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && !follow)
    throw new BadInput(
      `${folder} has no metrics yet: ${RUN_DIRECTORY.metrics} is not there or empty. --follow waits for them.`,
    );
}

async function parquet(folder: string, { follow, dir, ...others }: Omit<TrackOptions, 'to'>): Promise<void> {
  const [idle] = Object.keys(others);
  if (follow)
    throw new BadInput('--follow: a parquet file is written whole; run it again when the run has gone on.');
  if (idle !== undefined) throw new BadInput(`--${idle} means nothing to parquet; it takes --dir.`);
  const source = inside(folder, RUN_DIRECTORY.rollouts);
  if ((statSync(source, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new BadInput(`${folder} has no completions: ${RUN_DIRECTORY.rollouts} is not there or empty.`);
  const target = dir === undefined ? inside(folder, 'rollouts.parquet') : join(dir, 'rollouts.parquet');
  const rows = await writeRolloutsParquet(source, target, (text) => printProblem(text));
  printLine(`wrote ${plural(rows, 'completion')} to ${target}`);
}

/** Tries for ever while the run goes on, because what it writes waits on the disk. */
function patienceFor(folder: string, { follow, writer }: TrackOptions): Patience {
  const goesOn = (): boolean =>
    follow === true && (phaseOf(folder) === 'going' || (writer !== undefined && isRunning(writer)));
  return { ...USUAL_PATIENCE, attempts: () => (goesOn() ? Infinity : USUAL_PATIENCE.attempts()) };
}

async function track(folder: string, target: TrackTarget, options: TrackOptions): Promise<void> {
  const { to: _, follow, writer, ...place } = options;
  const destination = destinationOf(target, folder, place, process.env);
  const run = { name: destination.name, settings: settingsOf(folder) };
  checkMetrics(folder, follow === true);
  const kept = stateFolder(folder, target, destination.text);
  let release: () => void;
  try {
    release = lockFolder(kept);
  } catch (error) {
    if (!(error instanceof FolderTaken)) throw error;
    throw new BadInput(`Another process sends this run to the same place. ${error.message}`, {
      cause: error,
    });
  }
  const leave = new Interruption((code) => process.exit(code)).listen();
  try {
    const state = TrackState.open(folder, kept, { destination: destination.text, place });
    const tracker = destination.tracker(run, state, patienceFor(folder, options));
    await deliver(tracker, state, {
      folder,
      follow: follow === true,
      writer: writer ?? null,
      say: (text) => printLine(text),
    });
  } finally {
    leave();
    release();
  }
}

export default simpleProgram<TrackOptions>(line, async (options, args) => {
  const target = targetOf(options.to);
  const folder = runFolder(args);
  if (target !== 'parquet') return track(folder, target, options);
  const { to: _, ...rest } = options;
  return parquet(folder, rest);
});
