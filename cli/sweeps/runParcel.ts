/** A run directory on its way from the machine that made it to the sweep: as a zip. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { jsonText } from '../../src/base/json.ts';
import type { RunConfig } from '../../src/config/schema.ts';
import { openOnDisk } from '../../src/hub/filesInNode.ts';
import { openBytes } from '../../src/hub/openFiles.ts';
import type { OpenFile } from '../../src/hub/types.ts';
import { filesInZip } from '../../src/hub/zipFiles.ts';
import { zipPieces } from '../../src/hub/zipWriter.ts';
import type { AskedRun } from '../../src/machines/sweepMessages.ts';
import type { MadeRun } from '../../src/machines/sweepWork.ts';
import { BUNDLED_MODELS } from '../../src/run/models/bundledModels.ts';
import { isScratchModel } from '../../src/run/models/scratchModels.ts';
import { RUN_DIRECTORY } from '../../src/run/records/runDirectory.ts';
import { writeOpenFile } from '../durableFiles.ts';
import { NO_WORDS, runInProcess } from './runProcess.ts';
import { readText } from '../readText.ts';

/** Bytes that a run directory may take unpacked. */
const MOST_UNPACKED = 2 ** 31;

function filesBelow(folder: string): Map<string, OpenFile> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [relative(folder, path).split(sep).join('/'), openOnDisk(path)]));
}

/** Makes a run that a sweep asks for, in a folder of its own. @throws where it fails, or needs a model that is not beside the page. */
export async function makeAskedRun({ name, config }: AskedRun, signal: AbortSignal): Promise<MadeRun> {
  if (!BUNDLED_MODELS.includes(config.model) && !isScratchModel(config.model))
    throw new Error(
      `${name} needs the model ${config.model}; machines that join take runs of bundled models alone.`,
    );
  const place = mkdtempSync(join(tmpdir(), 'rl-playground-run-'));
  const dispose = (): void => rmSync(place, { recursive: true, force: true });
  const folder = join(place, 'run');
  try {
    const order = { config, model: null, modelFile: 'the sweep', folder, every: Infinity, words: NO_WORDS };
    await runInProcess(order, { say: () => undefined, signal });
    return { zip: () => zipPieces(filesBelow(folder)), dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Writes the files of a run directory to a folder. @throws where they are not of a run of these settings, or lie outside of the folder. */
export async function unpackRun(zip: Uint8Array, folder: string, config: RunConfig): Promise<void> {
  const files = await filesInZip('The run directory', openBytes(zip), MOST_UNPACKED);
  for (const name of files.names ?? []) {
    const path = resolve(folder, name);
    if (!path.startsWith(resolve(folder) + sep))
      throw new Error(`The run directory holds "${name}", which lies outside of it.`);
    const file = await files.open(name);
    if (file) await writeOpenFile(path, file);
  }
  if (readText(join(folder, RUN_DIRECTORY.config)) !== jsonText(config))
    throw new Error('The run directory is of a run with other settings.');
}
