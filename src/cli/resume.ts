/**
 * `npx rl-playground train --resume DIR`: finds the position of a directory's run, and cuts its log to that. Later steps are made again,
 * to the bit.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { parsedJson, isJsonObject, jsonText } from '@rl-playground/base/json';
import { BadInput, orBadInput } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import { type RunConfig, sameRun, versionNote } from '@rl-playground/run/settings';
import { runSettingsOf } from '@rl-playground/run/checkpoint';
import { learningRateAt } from '@rl-playground/run/loop';
import { checkpointFolder, RUN_DIRECTORY } from '@rl-playground/run/directory';
import { inside } from '@rl-playground/engine/parts/node';
import {
  latestCheckpoint,
  positionOf,
  removeCheckpoint,
  removeDrafts,
  type KeptCheckpoint,
} from './checkpointFolders.ts';
import {
  replaceFile,
  sync,
  writing,
  linesOf,
  MOST_LOG_BYTES,
  readText,
  lockFolder,
} from '@rl-playground/run/disk';
import { configIn } from './recordedRun.ts';
import { RunFolder } from './runDirectory.ts';
import { readStart, START_FILE, type StartRecord } from './startRecord.ts';

const EVALUATIONS = 'eval_results';

export interface ReopenedRun {
  readonly folder: RunFolder;
  readonly config: RunConfig;
  readonly start: StartRecord;
  /** The checkpoint from which it continues; null for its beginning. */
  readonly checkpoint: KeptCheckpoint | null;
  /** True if nothing is left to do. */
  readonly finished: boolean;
  readonly notes: readonly string[];
}

/** @throws BadInput if the folder holds no run. */
function checkHoldsRun(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new BadInput(`--resume ${path}: there is no such folder. Name one that --out wrote.`);
  for (const name of [RUN_DIRECTORY.config, START_FILE])
    if (!existsSync(inside(path, name)))
      throw new BadInput(
        `--resume ${path}: there is no ${name} in it, so it holds no run that can be gone on with. Name a folder that --out wrote.`,
      );
}

/** The settings and the start of the run in a directory, and the note on their version. @throws BadInput */
function readRun(path: string): {
  readonly before: RunConfig;
  readonly start: StartRecord;
  readonly versionNote: string | null;
} {
  return orBadInput(
    () => {
      const { start, settingsVersion } = readStart(path);
      const before = configIn(readText(inside(path, RUN_DIRECTORY.config)));
      return { before, start, versionNote: versionNote('The run', settingsVersion) };
    },
    (why) => `--resume ${path}: ${why}`,
  );
}

/** @throws BadInput if the settings beside a checkpoint are not those under which it was made. */
function checkSettings(path: string, { name }: KeptCheckpoint, config: RunConfig): void {
  const made = runSettingsOf(JSON.parse(readText(inside(path, join(name, RUN_DIRECTORY.config)))) as object);
  // A checkpoint's model has the name that it was loaded under.
  if (made !== null && sameRun({ ...made, model: config.model }, config)) return;
  throw new BadInput(
    `--resume ${path}: ${RUN_DIRECTORY.config} has been changed since ${name} was written, and a run goes on under the settings that it began with. Take them from ${name}/config.json (rl_playground.run), or begin a run of its own from the changed file: --config ${join(path, RUN_DIRECTORY.config)} --out another folder.`,
  );
}

/** The note on another number of steps under a learning rate that falls over all of them; null if the rate does not change. */
function scheduleNote(before: RunConfig, { numSteps }: RunConfig, done: number): string | null {
  const { lrSchedule: kind, learningRate: peak, warmupSteps } = before;
  if (kind === 'constant' || numSteps === before.numSteps || done === 0) return null;
  const rate = (totalSteps: number): string =>
    learningRateAt(done + 1, { peak, kind, warmupSteps, totalSteps }).toExponential(2);
  return `The learning rate falls over ${plural(numSteps, 'step')} now (${kind}): it is ${rate(numSteps)} in step ${done + 1}, where it would be ${rate(before.numSteps)} over ${before.numSteps}. The ${plural(done, 'step')} made before keep theirs, so this is not the run that would have come of ${numSteps} from the start.`;
}

/** The bytes of the lines up to `step`, without later lines, and without one that is not whole. */
async function rolloutBytes(path: string, step: number): Promise<number> {
  if (!existsSync(path)) return 0;
  let kept = 0;
  for await (const line of linesOf(path)) {
    const json = parsedJson(line);
    if ('error' in json || !isJsonObject(json.value) || Number(json.value['step']) > step) break;
    kept += Buffer.byteLength(line) + 1;
  }
  return Math.min(kept, statSync(path).size);
}

function cutFile(path: string, bytes: number): void {
  if (!existsSync(path)) replaceFile(path, '');
  writing(path, () => {
    truncateSync(path, bytes);
    sync(path);
  });
}

/**
 * Restores the directory to its state when its checkpoint was written. An end of the run becomes one of its checkpoints.
 *
 * @throws ModelFileError, or Error of a log, before anything has changed.
 */
async function cutTo(
  path: string,
  checkpoint: KeptCheckpoint | null,
  warmStartSteps: number,
): Promise<KeptCheckpoint | null> {
  const inRun = (...names: string[]): string => inside(path, join(...names));
  const inCheckpoint = (name: string): string => inRun(checkpoint?.name ?? '', name);
  const has = (name: string): boolean => checkpoint !== null && existsSync(inCheckpoint(name));
  const results = inRun(RUN_DIRECTORY.results);
  const finalModel = inRun(RUN_DIRECTORY.finalModel);
  const metrics = inRun(RUN_DIRECTORY.metrics);
  // A checkpoint has the whole log up to it.
  const log = has(RUN_DIRECTORY.metrics) ? readText(inCheckpoint(RUN_DIRECTORY.metrics), MOST_LOG_BYTES) : '';
  const rollouts = inRun(RUN_DIRECTORY.rollouts);
  const rolloutsKept = await rolloutBytes(rollouts, checkpoint?.state.step ?? 0);
  const evaluations = inRun(EVALUATIONS);
  const later = (existsSync(evaluations) ? readdirSync(evaluations) : [])
    .filter((name) => !has(join(EVALUATIONS, name)))
    .map((name) => inside(evaluations, name));
  const isLast = checkpoint?.name === RUN_DIRECTORY.finalModel;
  const name = isLast ? checkpointFolder(positionOf(checkpoint.state, warmStartSteps)) : null;
  const renamed = name === null ? null : inRun(name);

  rmSync(results, { force: true });
  replaceFile(metrics, log);
  cutFile(rollouts, rolloutsKept);
  for (const file of later) rmSync(file);
  if (name === null || renamed === null || checkpoint === null) {
    removeCheckpoint(finalModel);
    return checkpoint;
  }
  removeCheckpoint(renamed);
  renameSync(finalModel, renamed);
  sync(path);
  return { ...checkpoint, name };
}

/**
 * Takes the directory of a run, and prepares it to be continued; a finished run is not changed. `numSteps` replaces the run's, or is
 * null. `say` receives a message about each checkpoint that is skipped.
 *
 * @throws BadInput if there is no such run, or another process writes to it; WriteError.
 */
export async function reopenRun(
  path: string,
  numSteps: number | null,
  say: (text: string) => void,
): Promise<ReopenedRun> {
  checkHoldsRun(path);
  const release = lockFolder(path);
  try {
    const { before, start, versionNote: olderNote } = readRun(path);
    const config = { ...before, numSteps: numSteps ?? before.numSteps };
    removeDrafts(path);
    const { warmStartSteps } = config;
    const checkpoint = await latestCheckpoint(path, warmStartSteps, say);
    const done = checkpoint?.state.step ?? 0;
    if (checkpoint) checkSettings(path, checkpoint, config);
    if (config.numSteps < done)
      throw new BadInput(
        `--num-steps ${config.numSteps}: the run in ${path} has made ${plural(done, 'step')} already. Ask for ${done} or more.`,
      );
    const ended =
      checkpoint?.name === RUN_DIRECTORY.finalModel && existsSync(inside(path, RUN_DIRECTORY.results));
    const finished = ended && done === config.numSteps;
    const notes = [olderNote, scheduleNote(before, config, done)].filter((note) => note !== null);
    const at = finished ? checkpoint : await cutTo(path, checkpoint, warmStartSteps);
    if (config.numSteps !== before.numSteps)
      replaceFile(inside(path, RUN_DIRECTORY.config), jsonText(config));
    const folder = new RunFolder(path, config, release, checkpoint?.state);
    return { folder, config, start, checkpoint: at, finished, notes };
  } catch (error) {
    release();
    throw error;
  }
}
