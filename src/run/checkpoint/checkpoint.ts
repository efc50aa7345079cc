/**
 * A checkpoint is a zip in Hugging Face layout: the model as any library reads it, and beside it what it takes to resume
 * the run to the bit (optimizer state, adapter and its base, reference policy, settings, trainer state) and its log.
 */
import * as z from 'zod';
import { breathe } from '../../backend/eventLoop.ts';
import { messageOf } from '../../base/errors.ts';
import { loadModel } from '../../hub/load.ts';
import { parsePeftWeights } from '../../hub/peft.ts';
import type { LoadedModel } from '../../hub/types.ts';
import { parseJsonObject } from '../../hub/readFile.ts';
import { parseSafetensors, writeSafetensors } from '../../hub/safetensors.ts';
import { filesInMemory } from '../../hub/sources.ts';
import { checkWeights } from '../../hub/weights.ts';
import { widened } from '../../model/storedWeights.ts';
import type { ModelConfig } from '../../model/config.ts';
import { peftSpecs } from '../../model/lora.ts';
import { huggingFaceSpecs, type HuggingFaceSpec } from '../../model/parameters.ts';
import { customTaskSchema } from '../../tasks/custom/definition.ts';
import { ADAPTER_FILES, adapterFiles, readAdapter } from './adapterFiles.ts';
import { BASE_FILE, baseFile, baseOf } from './baseModel.ts';
import { packArchive, unpackArchive } from './archive.ts';
import { CheckpointError, type AdapterParts, type CheckpointParts } from './checkpointParts.ts';
import { evalFiles, evalResultFromJson, sortedEvalFiles } from '../records/evalFiles.ts';
import { readMetricsLog, writeMetricsLog, writeSftLog } from '../records/metricsLog.ts';
import { runSettingsOf, withRunSettings, withWeights } from './modelFiles.ts';
import { modelCard } from './modelCard.ts';
import { readOptimizer, writeOptimizer } from './optimizerFile.ts';
import { trainerStateFromJson, trainerStateJson } from './trainerState.ts';
import type { RunConfig } from '../../config/schema.ts';
import { readSftRows, writeSftRows, type SftFile } from '../../rl/sft/sftRows.ts';
import { wantedFile } from '../sftData.ts';
import { jsonBytes } from '../../base/json.ts';

const RUN_FILES = {
  optimizer: 'optimizer.safetensors',
  reference: 'reference.safetensors',
  trainerState: 'trainer_state.json',
  customTasks: 'own_tasks.json',
  /** Rows of the user's that the warm start learns from. */
  sft: 'warm_start.jsonl',
  metrics: 'metrics.jsonl',
} as const;

const customTasksSchema = z.object({ tasks: z.array(customTaskSchema) });

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** What is trained: all weights, or the adapter's. */
function trainedSpecs(config: ModelConfig, adapter: AdapterParts | null): HuggingFaceSpec[] {
  return adapter === null ? huggingFaceSpecs(config) : peftSpecs(config, adapter.settings);
}

/** The zip's bytes. Equal parts give equal bytes. */
export async function writeCheckpoint(parts: CheckpointParts): Promise<Uint8Array> {
  return packArchive(await checkpointFiles(parts));
}

/** The model with its weights, and its files. */
async function mergedFiles(
  before: LoadedModel,
): Promise<{ model: LoadedModel; files: Map<string, Uint8Array> }> {
  const weights = await widened(before.weights);
  const model = withWeights(before, weights);
  const files = new Map(model.sideFiles);
  files.set('model.safetensors', writeSafetensors(weights, { metadata: { format: 'pt' } }));
  return { model, files };
}

/** What names a model whose weights stay in its own files. */
function frozenFiles(model: LoadedModel): { model: LoadedModel; files: Map<string, Uint8Array> } {
  const config = model.sideFiles.get('config.json');
  const files = new Map([[BASE_FILE, baseFile(model)]]);
  if (config) files.set('config.json', config);
  return { model, files };
}

/** What the zip holds, by path. */
export async function checkpointFiles(parts: CheckpointParts): Promise<Map<string, Uint8Array>> {
  const { optimizer, adapter, reference, runConfig, trainerState, customTasks, sftFile } = parts;
  const { metrics, evaluations } = parts;
  const format = { format: 'pt' };
  const { model, files } = adapter?.base === null ? frozenFiles(parts.model) : await mergedFiles(parts.model);
  await breathe();
  if (optimizer !== null)
    files.set(RUN_FILES.optimizer, writeOptimizer(optimizer, trainedSpecs(model.config, adapter)));
  await breathe();
  if (adapter !== null) {
    for (const [name, bytes] of adapterFiles(adapter, model)) files.set(name, bytes);
  }
  if (reference !== null) files.set(RUN_FILES.reference, writeSafetensors(reference, { metadata: format }));
  const configFile = files.get('config.json');
  if (runConfig !== null && configFile !== undefined) {
    const config = parseJsonObject(configFile, 'config.json', model.name);
    files.set('config.json', jsonBytes(withRunSettings(config, runConfig)));
  }
  if (trainerState !== null)
    files.set(RUN_FILES.trainerState, jsonBytes(trainerStateJson(trainerState, model.name)));
  if (customTasks.length > 0) files.set(RUN_FILES.customTasks, jsonBytes({ tasks: customTasks }));
  if (sftFile) files.set(RUN_FILES.sft, text(writeSftRows(sftFile.rows)));
  const log = writeSftLog(trainerState, runConfig) + writeMetricsLog(metrics, evaluations);
  if (log !== '') files.set(RUN_FILES.metrics, text(log));
  for (const [name, value] of evalFiles(evaluations)) files.set(name, jsonBytes(value));
  files.set('README.md', text(modelCard({ ...parts, model }, files.keys())));
  return files;
}

/**
 * Reads a checkpoint, or a zip that is just a Hugging Face model folder: what belongs to a run is then null or empty. All
 * files may lie in one top-level folder. `label` names the file in messages, and the model where the zip does not. `loaded`: the model
 * that a checkpoint without weights may belong to.
 * @throws CheckpointError or ModelFileError saying what was found, what is needed and what to do.
 */
export async function readCheckpoint(
  bytes: Uint8Array,
  label = 'The checkpoint',
  loaded: LoadedModel | null = null,
): Promise<CheckpointParts> {
  const files = await unpackArchive(bytes, label);
  const model = await modelOf(files, loaded, label);

  const read = <T>(name: string, parse: (bytes: Uint8Array) => T): T | null => {
    const found = files.get(name);
    if (found === undefined) return null;
    try {
      return parse(found);
    } catch (error) {
      if (error instanceof CheckpointError) throw error;
      throw new CheckpointError(
        `${label}: ${name} can't be used: ${messageOf(error)}. Load an undamaged checkpoint, or take out what can't be used to load the rest.`,
      );
    }
  };
  const frozen = files.has(BASE_FILE);
  const adapter = read(ADAPTER_FILES.config, () => readAdapter(files, model.config, label, frozen));
  const object = (name: string) => (found: Uint8Array) => parseJsonObject(found, name, label);
  const runConfig = read('config.json', (found) => runSettingsOf(object('config.json')(found)));
  // Other trainers leave a trainer_state.json of their own beside a model; it says nothing about our runs.
  const foreign = runConfig === null && !files.has(RUN_FILES.optimizer);
  const trainer = foreign
    ? null
    : read(RUN_FILES.trainerState, (found) => trainerStateFromJson(object(RUN_FILES.trainerState)(found)));
  return {
    model: trainer === null ? model : { ...model, name: trainer.modelName },
    optimizer: read(RUN_FILES.optimizer, (found) =>
      readOptimizer(found, trainedSpecs(model.config, adapter), label),
    ),
    adapter,
    reference: read(RUN_FILES.reference, (found) => {
      const where = `${label}: ${RUN_FILES.reference}`;
      if (frozen && adapter) return parsePeftWeights(found, model.config, adapter.settings, where);
      return checkWeights(parseSafetensors(found, where).tensors, model.config, where);
    }),
    runConfig,
    trainerState: trainer?.state ?? null,
    customTasks:
      read(
        RUN_FILES.customTasks,
        (found) => customTasksSchema.parse(object(RUN_FILES.customTasks)(found)).tasks,
      ) ?? [],
    ...read(RUN_FILES.sft, (found) => readSftFile(found, runConfig)),
    metrics: read(RUN_FILES.metrics, (found) => readMetricsLog(new TextDecoder().decode(found))) ?? [],
    evaluations: sortedEvalFiles(files.keys()).flatMap((name) => {
      const evaluation = read(name, (found) => evalResultFromJson(object(name)(found)));
      return evaluation === null ? [] : [evaluation];
    }),
  };
}

async function modelOf(
  files: ReadonlyMap<string, Uint8Array>,
  loaded: LoadedModel | null,
  label: string,
): Promise<LoadedModel> {
  const base = files.get(BASE_FILE);
  if (base !== undefined) return baseOf(base, loaded, label);
  for (const needed of ['config.json', 'tokenizer.json']) {
    if (files.has(needed)) continue;
    throw new CheckpointError(
      `${label} holds ${files.size} ${files.size === 1 ? 'file' : 'files'} but no ${needed}. A checkpoint needs config.json, model.safetensors and the tokenizer's files, at the top or in one folder.`,
    );
  }
  const own = new Set<string>([...Object.values(RUN_FILES), ...Object.values(ADAPTER_FILES)]);
  const modelFiles = new Map([...files].filter(([name]) => !own.has(name)));
  return loadModel(filesInMemory(label, modelFiles));
}

/** The rows under the name that the run's settings know them by; nothing where they name none. @throws SftRowsError */
function readSftFile(bytes: Uint8Array, config: RunConfig | null): { readonly sftFile?: SftFile } {
  const name = config === null ? null : wantedFile(config);
  if (name === null) return {};
  return { sftFile: { name, rows: readSftRows(new TextDecoder().decode(bytes), name) } };
}
