/** Reads the records of a run directory, without its weights. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { inside } from '@rl-playground/engine/parts/node';
import { messageOf, BadInput, orBadInput } from '@rl-playground/base/errors';
import { type RunConfig, parseRecord, versionNote } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { RUN_DIRECTORY } from '@rl-playground/run/directory';
import { evalResultFromJson, sortedEvalFiles, readMetricsLog } from '@rl-playground/run/records';
import type { ReportRun } from '@rl-playground/bridges/report/input';
import { MOST_LOG_BYTES, readText } from '@rl-playground/run/disk';
import { readStart, START_FILE } from './startRecord.ts';

/** A file's text; null if there is none. */
function textIn(folder: string, name: string): string | null {
  const path = inside(folder, name);
  return existsSync(path) ? readText(path, MOST_LOG_BYTES) : null;
}

/** The settings in the text of `config.json`. @throws Error */
export function configIn(text: string): RunConfig {
  const parsed = parseRecord(JSON.parse(text));
  if (!parsed.ok) throw new Error(`${RUN_DIRECTORY.config}: ${parsed.errors.join('; ')}`);
  return parsed.config;
}

function metricsIn(folder: string): readonly StepMetrics[] {
  try {
    return readMetricsLog(textIn(folder, RUN_DIRECTORY.metrics) ?? '');
  } catch (error) {
    throw new Error(`${RUN_DIRECTORY.metrics}: ${messageOf(error)}`, { cause: error });
  }
}

function evaluationsIn(folder: string): readonly EvalResult[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll('\\', '/'),
  );
  return sortedEvalFiles(names).map((name) => {
    try {
      return evalResultFromJson(JSON.parse(textIn(folder, name) ?? ''));
    } catch (error) {
      throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
    }
  });
}

function secondsIn(folder: string): number | null {
  const results: unknown = JSON.parse(textIn(folder, RUN_DIRECTORY.results) ?? 'null');
  const seconds =
    typeof results === 'object' && results !== null && 'train_runtime' in results && results.train_runtime;
  return typeof seconds === 'number' ? seconds : null;
}

/** The note on the version of the settings. A zip of the page has no record of the start, and no note. */
const noteIn = (folder: string): string =>
  (existsSync(join(folder, START_FILE)) && versionNote('The run', readStart(folder).settingsVersion)) || '';

/** @throws BadInput if there is no run directory. */
export function checkRunFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined)
    throw new BadInput(
      `There is no folder ${folder}; npx rl-playground train --out ${folder} would write one.`,
    );
  if (!found.isDirectory())
    throw new BadInput(`${folder} is a file, and a run directory is a folder; unpack a zip first.`);
  if (!existsSync(join(folder, RUN_DIRECTORY.config)))
    throw new BadInput(
      `${folder} is no run directory: it has no ${RUN_DIRECTORY.config}. One is written by npx rl-playground train --out, or unpacked from the page's zip.`,
    );
}

/** @throws BadInput if the folder holds no run, or one that can't be read. */
export function recordedRun(folder: string): ReportRun {
  checkRunFolder(folder);
  return orBadInput(
    () => ({
      name: basename(resolve(folder)),
      config: configIn(textIn(folder, RUN_DIRECTORY.config) ?? ''),
      metrics: metricsIn(folder),
      evaluations: evaluationsIn(folder),
      wallSeconds: secondsIn(folder),
      note: noteIn(folder),
    }),
    (why) => `${folder}: ${why}`,
  );
}
