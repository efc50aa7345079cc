/** Opens checkpoints, models, and adapters beside a model, for a person or the command line, in place of what is loaded. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { grouped, plural } from '@rl-playground/base/text';
import {
  loadModel,
  OpenFolder,
  PEFT_FILES,
  readPeftAdapter,
  withoutAdapter,
  type LoadOptions,
  openBlob,
  filesInBlobs,
  ModelFileError,
  parameterCount,
  type LoadedModel,
  type ModelFiles,
  type AdapterParts,
} from '@rl-playground/engine/parts';
import type { CustomTask } from '@rl-playground/tasks/parts';
import { areModelFiles, folderOf, titleOf, type ChosenFile } from './chosenFiles.ts';
import { hostBytesOfPage } from '../plan/limits.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { address } from '../models/besidePage.ts';
import { BUNDLED_MODELS } from '../models/bundledModels.ts';
import { loadBundledModel } from '../models/namedModels.ts';
import { loraSettings, loraText } from '../models/adapterSettings.ts';
import { freshStart, type SessionStart } from './sessionStart.ts';
import { provideRows, rowsProblem, type RunProblem } from '../data/taskRows.ts';
import type { RunLog } from '../records/runLog.ts';
import { sftProblem, type SftFiles } from '../sft/sftData.ts';

/** The takers of what else lies in a checkpoint. */
export interface OpenedParts {
  /** Takes in the own tasks that a loaded checkpoint asks, before anything looks for them. */
  readonly adoptCustomTasks: (definitions: readonly CustomTask[]) => Promise<void>;
  readonly sftFiles: SftFiles;
}

/** A model beside the page by its name, or another with an adapter or without; `byHand` if a person chose it. */
export type NamedModel =
  | { readonly bundled: string }
  | { readonly model: ModelFiles; readonly adapter?: ModelFiles | null; readonly byHand?: true };

export interface Opened {
  readonly parts: CheckpointParts;
  /** The answers of a run directory's steps, and its checkpoints; null if only the newest weights came. */
  readonly log: RunLog | null;
  /** The key of the model of a run that this browser keeps, if settings may name it: a new run begins from that model, untrained. */
  readonly modelKey?: string | null;
}

export const withoutLog = async (parts: Promise<CheckpointParts>): Promise<Opened> => ({
  parts: await parts,
  log: null,
});

/**
 * A checkpoint, a run directory, a model folder or an adapter, zipped, in a GGUF file or as files. `loaded`: the model of the page, which an adapter may
 * belong to.
 * @throws CheckpointError or ModelFileError
 */
export async function openedFiles(
  chosen: readonly ChosenFile[],
  takers: OpenedParts,
  loaded?: LoadedModel,
): Promise<Opened> {
  const [first] = chosen;
  if (first === undefined) throw new ModelFileError('No file was chosen.');
  const folder = areModelFiles(chosen);
  const files = folder ? asOneFolder(chosen) : await filesOfOne(first.file);
  const directory = await openedAsDirectory(files, takers, loaded);
  if (directory !== null) return directory;
  if (folder) return withoutLog(openedFolders(await foldersOf(chosen), loaded));
  return withoutLog(
    has(files, PEFT_FILES.config) ? openedFolders([files], loaded) : openedRun(files, takers, loaded),
  );
}

/** Opens the files as a run directory; null if they are none. */
async function openedAsDirectory(
  files: ModelFiles,
  takers: OpenedParts,
  loaded: LoadedModel | undefined,
): Promise<Opened | null> {
  const { newestModelFolder, openedDirectory } = await import('../directory/openedDirectory.ts');
  const folder = newestModelFolder(files.names ?? []);
  return folder === null
    ? null
    : openedDirectory(files, folder, (checkpoint) => openedRun(checkpoint, takers, loaded));
}

const GGUF_NAME = /\.gguf$/i;

async function filesOfOne(file: File): Promise<ModelFiles> {
  const { filesInFile } = await import('@rl-playground/engine/zip');
  return filesInFile(file.name, openBlob(await kept(file)), hostBytesOfPage() ?? Infinity);
}

/** The files by their paths below the folder that holds all of them, if there is one. */
function asOneFolder(chosen: readonly ChosenFile[]): ModelFiles {
  const top = `${chosen[0]?.path.split('/')[0] ?? ''}/`;
  const skipped = chosen.every(({ path }) => path.startsWith(top)) ? top.length : 0;
  return filesInBlobs(titleOf(chosen), new Map(chosen.map(({ path, file }) => [path.slice(skipped), file])));
}

/** Bytes up to which a file is kept here: one that is overwritten on disk while the page is open can't be read there any more. */
const SMALL_FILE = 64 * 2 ** 20;

async function kept(file: File): Promise<Blob> {
  return file.size > SMALL_FILE ? file : new Blob([await file.arrayBuffer()]);
}

const bundled = (name: string): Promise<LoadedModel> | null =>
  BUNDLED_MODELS.includes(name) ? loadBundledModel(name, address, () => undefined) : null;

/** A checkpoint; what it holds beside its run goes to `takers`. @throws CheckpointError or ModelFileError */
export async function openedRun(
  files: ModelFiles,
  { adoptCustomTasks, sftFiles }: OpenedParts,
  loaded?: LoadedModel,
): Promise<CheckpointParts> {
  const { readCheckpoint } = await import('../checkpoint/readCheckpoint.ts');
  const parts = await readCheckpoint(files, loaded, bundled);
  await adoptCustomTasks(parts.customTasks);
  provideRows(parts.taskRows ?? []);
  if (parts.sftFile) await sftFiles.adopt(parts.sftFile);
  return parts;
}

/** The folders that files lie in. A GGUF file is one by itself. */
async function foldersOf(chosen: readonly ChosenFile[]): Promise<ModelFiles[]> {
  const folders = new Map<string, ChosenFile[]>();
  const ggufs = chosen.filter(({ path }) => GGUF_NAME.test(path));
  for (const each of chosen.filter(({ path }) => !GGUF_NAME.test(path))) {
    const folder = folderOf(each.path);
    folders.set(folder, [...(folders.get(folder) ?? []), each]);
  }
  const inFolders = [...folders].map(([folder, files]) =>
    filesInBlobs(
      folder === '' ? titleOf(files) : folder,
      new Map(files.map(({ path, file }) => [path.slice(folder === '' ? 0 : folder.length + 1), file])),
    ),
  );
  return [...(await Promise.all(ggufs.map(({ file }) => filesOfOne(file)))), ...inFolders];
}

/** The texts of a GGUF file are there, too. */
const has = (files: ModelFiles, name: string): boolean => OpenFolder.of(files).names?.includes(name) === true;

/** A model and an adapter of it, or either. */
async function openedFolders(
  folders: readonly ModelFiles[],
  loaded: LoadedModel | undefined,
): Promise<CheckpointParts> {
  const modelFiles = folders.find((files) => has(files, 'config.json'));
  const adapterFiles = folders.find((files) => has(files, PEFT_FILES.config));
  const model = modelFiles ? await loadModel(withoutAdapter(modelFiles)) : loaded;
  if (model === undefined || (modelFiles ?? adapterFiles) === undefined)
    throw new ModelFileError(
      `${folders.map(({ label }) => label).join(', ')}: there is neither config.json nor ${PEFT_FILES.config}. A model needs config.json, weights and its tokenizer's files, an adapter ${PEFT_FILES.config} and ${PEFT_FILES.weights}.`,
    );
  return untouched(model, adapterFiles ?? null);
}

async function untouched(model: LoadedModel, adapterFiles: ModelFiles | null): Promise<CheckpointParts> {
  const adapter = adapterFiles && (await readPeftAdapter(adapterFiles, model.config));
  return { ...freshStart(model), adapter: adapter && { ...adapter, base: null }, runConfig: null };
}

/** A model that no run has begun from, or an adapter beside it. @throws ModelFileError */
export async function openedModel(
  files: ModelFiles,
  adapter: ModelFiles | null,
  options?: LoadOptions,
): Promise<CheckpointParts> {
  return untouched(await loadModel(files, options), adapter);
}

/** An adapter from elsewhere, which no run has begun from; null where there is none. */
function newAdapter({ adapter, runConfig }: CheckpointParts): AdapterParts | null {
  return runConfig === null && adapter?.base === null ? adapter : null;
}

/** The facts about a model that a person needs before a run. */
function modelFacts({ config, tokenizer }: LoadedModel): string {
  const { modelType, layers, maxPositions } = config;
  const size = `${grouped(parameterCount(config))} parameters in ${plural(layers, 'layer')}`;
  const template = tokenizer.hasChatTemplate ? 'with a chat template' : 'without a chat template';
  return `Architecture ${modelType}, ${size}, a context of ${grouped(maxPositions)} tokens, ${template}`;
}

/** A model beside the page, which settings may name, or another with its adapter, if it has one. @throws ModelFileError */
export async function openedNamed(
  what: NamedModel,
  onProgress: (label: string, done: number, total: number) => void,
): Promise<Opened> {
  if ('bundled' in what) {
    const model = await loadBundledModel(what.bundled, address, onProgress);
    return { ...(await withoutLog(untouched(model, null))), modelKey: what.bundled };
  }
  const { model, adapter = null } = what;
  const say = (file: string, done: number, total: number): void =>
    onProgress(`Loading the model ${model.label}: ${file}`, done, total);
  return withoutLog(openedModel(model, adapter, { onProgress: say }));
}

/** Describes what is loaded now, and the settings that it brings along: those of its run, or of an adapter from elsewhere; null if it has none. */
export function describeOpened({ parts, log }: Opened): {
  text: string;
  settings: Partial<RunConfig> | null;
} {
  const { model, runConfig, settingsNote, trainerState } = parts;
  const adapter = newAdapter(parts);
  if (adapter !== null)
    return {
      text: `${modelFacts(model)}, and an adapter of ${loraText(adapter.settings)}. Runs start from it.`,
      settings: loraSettings(adapter.settings),
    };
  const after = trainerState ? ` after ${trainerState.step} steps` : '';
  const answers = log && log.stepsKept > 0 ? `, with the answers of ${plural(log.stepsKept, 'step')}` : '';
  const note = settingsNote === undefined ? '' : ` ${settingsNote}`;
  const what = trainerState ? `${model.name}${after}${answers}` : `${modelFacts(model)}. Runs start from it`;
  return { text: `${what}.${note}`, settings: runConfig };
}

/** The start of a new run: from the model, and from an adapter that came with it from elsewhere. */
export function runStart(parts: CheckpointParts): SessionStart {
  return { ...freshStart(parts.model), adapter: newAdapter(parts) };
}

/** The problem that keeps a new run from its rows, or from the adapter that was opened; null if there is none. */
export function newRunProblem(
  parts: CheckpointParts | null,
  config: RunConfig,
  files: SftFiles,
): RunProblem | null {
  const adapter = parts && newAdapter(parts);
  return rowsProblem(config) ?? sftProblem(config, files) ?? (adapter && adapterProblem(adapter, config));
}

function adapterProblem(adapter: AdapterParts, config: RunConfig): { title: string; text: string } | null {
  const { loraRank, loraAlpha, loraTargets } = loraSettings(adapter.settings);
  const sameTargets = [...loraTargets].sort().join() === [...config.loraTargets].sort().join();
  if (config.loraRank === loraRank && config.loraAlpha === loraAlpha && sameTargets) return null;
  return {
    title: 'The loaded adapter needs its own LoRA settings',
    text: `It is of ${loraText(adapter.settings)}. Set these, or load the model again to start without the adapter.`,
  };
}
