/**
 * `npm run train -- --resume DIR`: finds where the run of a directory stands, and cuts its log to that: what was written of later steps is
 * made again, to the bit.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { parsedJson, isJsonObject, jsonText } from '../src/base/json.ts';
import { messageOf } from '../src/base/errors.ts';
import { plural } from '../src/base/text.ts';
import type { RunConfig } from '../src/config/schema.ts';
import { parseRecord } from '../src/config/settingsVersion.ts';
import { runSettingsOf } from '../src/run/checkpoint/modelFiles.ts';
import { learningRateAt } from '../src/rl/update/learningRate.ts';
import { checkpointFolder, RUN_DIRECTORY } from '../src/run/records/runDirectory.ts';
import { sameRun } from '../src/run/sameRun.ts';
import {
  latestCheckpoint,
  positionOf,
  removeCheckpoint,
  removeDrafts,
  type KeptCheckpoint,
} from './checkpointFolders.ts';
import { replaceFile, sync, writing } from './durableFiles.ts';
import { linesOf } from './fileLines.ts';
import { BadInput } from './program.ts';
import { RunFolder } from './runDirectory.ts';
import { FolderTaken, lockFolder } from './runLock.ts';
import { readStart, START_FILE, type StartRecord } from './startRecord.ts';

/** A run to go on with. */
export interface ReopenedRun {
  readonly folder: RunFolder;
  readonly config: RunConfig;
  readonly start: StartRecord;
  /** Where it goes on; null at its beginning. */
  readonly checkpoint: KeptCheckpoint | null;
  /** Whether there is nothing left to do. */
  readonly finished: boolean;
  /** To print. */
  readonly notes: readonly string[];
}

/** The settings and the start of the run in a directory. @throws BadInput */
function readRun(path: string): { readonly before: RunConfig; readonly start: StartRecord } {
  const file = (name: string): string => join(path, name);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new BadInput(`--resume ${path}: there is no such folder. Name one that --out wrote.`);
  for (const name of [RUN_DIRECTORY.config, START_FILE])
    if (!existsSync(file(name)))
      throw new BadInput(
        `--resume ${path}: there is no ${name} in it, so it holds no run that can be gone on with. Name a folder that --out wrote.`,
      );
  try {
    const { start, settingsVersion } = readStart(path);
    const parsed = parseRecord(JSON.parse(readFileSync(file(RUN_DIRECTORY.config), 'utf8')), settingsVersion);
    if (!parsed.ok) throw new Error(`${RUN_DIRECTORY.config}: ${parsed.errors.join('; ')}`);
    return { before: parsed.config, start };
  } catch (error) {
    throw new BadInput(`--resume ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws BadInput where the settings beside a checkpoint are not those that it was made under. */
function checkSettings(path: string, { name }: KeptCheckpoint, config: RunConfig): void {
  const made = runSettingsOf(
    JSON.parse(readFileSync(join(path, name, RUN_DIRECTORY.config), 'utf8')) as object,
  );
  // A checkpoint's model has the name that it was loaded under.
  if (made !== null && sameRun({ ...made, model: config.model }, config)) return;
  throw new BadInput(
    `--resume ${path}: ${RUN_DIRECTORY.config} has been changed since ${name} was written, and a run goes on under the settings that it began with. Take them from ${name}/config.json (rl_playground.run), or begin a run of its own from the changed file: --config ${join(path, RUN_DIRECTORY.config)} --out another folder.`,
  );
}

/** What another number of steps does to a learning rate that falls over all of them; null where it stays what it was. */
function scheduleNote(before: RunConfig, { numSteps }: RunConfig, done: number): string | null {
  const { lrSchedule: kind, learningRate: peak, warmupSteps } = before;
  if (kind === 'constant' || numSteps === before.numSteps || done === 0) return null;
  const rate = (totalSteps: number): string =>
    learningRateAt(done + 1, { peak, kind, warmupSteps, totalSteps }).toExponential(2);
  return `The learning rate falls over ${plural(numSteps, 'step')} now (${kind}): it is ${rate(numSteps)} in step ${done + 1}, where it would be ${rate(before.numSteps)} over ${before.numSteps}. The ${plural(done, 'step')} made before keep theirs, so this is not the run that would have come of ${numSteps} from the start.`;
}

/** Cuts lines of steps behind `step`, and a line that is not whole, off the end of a file. */
async function cutRollouts(path: string, step: number): Promise<void> {
  if (!existsSync(path)) replaceFile(path, '');
  let kept = 0;
  for await (const line of linesOf(path)) {
    const json = parsedJson(line);
    if ('error' in json || !isJsonObject(json.value) || Number(json.value['step']) > step) break;
    kept += Buffer.byteLength(line) + 1;
  }
  writing(path, () => {
    truncateSync(path, Math.min(kept, statSync(path).size));
    sync(path);
  });
}

/** Makes the directory what it was when its checkpoint was written. An end of the run is one on the way from then on. */
async function cutTo(
  path: string,
  checkpoint: KeptCheckpoint | null,
  warmStartSteps: number,
): Promise<KeptCheckpoint | null> {
  const { metrics, rollouts, results, finalModel } = RUN_DIRECTORY;
  const inRun = (...names: string[]): string => join(path, ...names);
  const inCheckpoint = (name: string): string => inRun(checkpoint?.name ?? '', name);
  const has = (name: string): boolean => checkpoint !== null && existsSync(inCheckpoint(name));
  rmSync(inRun(results), { force: true });
  // A checkpoint has the whole log up to it.
  replaceFile(inRun(metrics), has(metrics) ? readFileSync(inCheckpoint(metrics), 'utf8') : '');
  await cutRollouts(inRun(rollouts), checkpoint?.state.step ?? 0);
  const evaluations = inRun('eval_results');
  for (const name of existsSync(evaluations) ? readdirSync(evaluations) : [])
    if (!has(join('eval_results', name))) rmSync(join(evaluations, name));
  if (checkpoint?.name !== finalModel) {
    removeCheckpoint(inRun(finalModel));
    return checkpoint;
  }
  const name = checkpointFolder(positionOf(checkpoint.state, warmStartSteps));
  removeCheckpoint(inRun(name));
  renameSync(inRun(finalModel), inRun(name));
  sync(path);
  return { ...checkpoint, name };
}

/**
 * Takes the directory of a run, and makes it ready to be gone on with; one whose run is finished stays as it is. `numSteps`: in place of the
 * run's, or null. `say` hears of checkpoints that are passed over.
 *
 * @throws BadInput where there is no such run, or another process writes to it; WriteError.
 */
export async function reopenRun(
  path: string,
  numSteps: number | null,
  say: (text: string) => void,
): Promise<ReopenedRun> {
  readRun(path);
  let release: () => void;
  try {
    release = lockFolder(path);
  } catch (error) {
    throw error instanceof FolderTaken ? new BadInput(error.message, { cause: error }) : error;
  }
  try {
    const { before, start } = readRun(path);
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
      checkpoint?.name === RUN_DIRECTORY.finalModel && existsSync(join(path, RUN_DIRECTORY.results));
    const finished = ended && done === config.numSteps;
    const note = scheduleNote(before, config, done);
    const at = finished ? checkpoint : await cutTo(path, checkpoint, warmStartSteps);
    if (config.numSteps !== before.numSteps) replaceFile(join(path, RUN_DIRECTORY.config), jsonText(config));
    const folder = new RunFolder(path, config, release, checkpoint?.state);
    return { folder, config, start, checkpoint: at, finished, notes: note === null ? [] : [note] };
  } catch (error) {
    release();
    throw error;
  }
}
