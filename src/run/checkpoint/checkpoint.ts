/**
 * A checkpoint is a zip in Hugging Face layout: the model as any library reads it, and beside it what it takes to resume
 * the run to the bit (optimizer state, adapter and its base, reference policy, settings, trainer state) and its log.
 */
import { breathe } from '../../backend/eventLoop.ts';
import { messageOf } from '../../base/errors.ts';
import { loadModel } from '../../hub/load.ts';
import { parsePeftWeights } from '../../hub/peft.ts';
import type { LoadedModel, ModelFiles, OpenFile } from '../../hub/types.ts';
import { openBytes } from '../../hub/openFiles.ts';
import { parseJsonObject, readFile } from '../../hub/readFile.ts';
import { parseSafetensors, safetensorsFile } from '../../hub/safetensors.ts';
import { filesExcept } from '../../hub/sources.ts';
import { checkWeights } from '../../hub/weights.ts';
import { storedInMemory, widened } from '../../model/storedWeights.ts';
import type { ModelConfig } from '../../model/config.ts';
import { peftSpecs } from '../../model/lora.ts';
import { huggingFaceSpecs, type HuggingFaceSpec } from '../../model/parameters.ts';
import { ADAPTER_FILES, adapterFiles, namedOrigin, readAdapter } from './adapterFiles.ts';
import { BASE_FILE, baseFile, baseOf } from './baseModel.ts';
import { CheckpointError, type AdapterParts, type CheckpointParts } from './checkpointParts.ts';
import { evalFiles, evalResultFromJson, sortedEvalFiles } from '../records/evalFiles.ts';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { readMetricsLog, writeMetricsLog, writeSftLog } from '../records/metricsLog.ts';
import { runSettingsOf, withRunSettings, withWeights } from './modelFiles.ts';
import { modelCard } from './modelCard.ts';
import { readOptimizer, writeOptimizer } from './optimizerFile.ts';
import { readRunData, RUN_DATA_FILES, runDataFiles } from './runData.ts';
import { trainerStateFromJson, trainerStateJson } from './trainerState.ts';
import { jsonBytes } from '../../base/json.ts';

const RUN_FILES = {
  optimizer: 'optimizer.safetensors',
  reference: 'reference.safetensors',
  trainerState: 'trainer_state.json',
  metrics: 'metrics.jsonl',
} as const;

const FORMAT = { format: 'pt' };

const text = (value: string): OpenFile => openBytes(new TextEncoder().encode(value));
const json = (value: unknown): OpenFile => openBytes(jsonBytes(value));

/** What is trained: all weights, or the adapter's. */
function trainedSpecs(config: ModelConfig, adapter: AdapterParts | null): HuggingFaceSpec[] {
  return adapter === null ? huggingFaceSpecs(config) : peftSpecs(config, adapter.settings);
}

interface ModelInFiles {
  readonly model: LoadedModel;
  readonly files: Map<string, OpenFile>;
}

/** The model with its weights, and its files. */
async function mergedFiles(before: LoadedModel): Promise<ModelInFiles> {
  const model = withWeights(before, await widened(before.weights));
  const files = new Map([...model.sideFiles].map(([name, bytes]) => [name, openBytes(bytes)]));
  files.set('model.safetensors', safetensorsFile(model.weights, FORMAT));
  return { model, files };
}

/** What names a model whose weights stay in its own files. */
function frozenFiles(model: LoadedModel): ModelInFiles {
  const config = model.sideFiles.get('config.json');
  const files = new Map([[BASE_FILE, openBytes(baseFile(model))]]);
  if (config) files.set('config.json', openBytes(config));
  return { model, files };
}

/** What the zip holds, by path. Equal parts give equal bytes; arrays are not copied, and encoded as they are read. */
export async function checkpointFiles(parts: CheckpointParts): Promise<Map<string, OpenFile>> {
  const { optimizer, adapter, reference, runConfig, trainerState, metrics, evaluations } = parts;
  const { model, files } = adapter?.base === null ? frozenFiles(parts.model) : await mergedFiles(parts.model);
  await breathe();
  if (optimizer !== null)
    files.set(RUN_FILES.optimizer, writeOptimizer(optimizer, trainedSpecs(model.config, adapter)));
  await breathe();
  if (adapter !== null) {
    for (const [name, file] of adapterFiles(adapter, model)) files.set(name, file);
  }
  if (reference !== null) files.set(RUN_FILES.reference, safetensorsFile(storedInMemory(reference), FORMAT));
  const configFile = model.sideFiles.get('config.json');
  if (runConfig !== null && configFile !== undefined) {
    const config = parseJsonObject(configFile, 'config.json', model.name);
    files.set('config.json', json(withRunSettings(config, runConfig)));
  }
  if (trainerState !== null)
    files.set(RUN_FILES.trainerState, json(trainerStateJson(trainerState, model.name)));
  for (const [name, bytes] of runDataFiles(parts)) files.set(name, openBytes(bytes));
  const log = writeSftLog(trainerState, runConfig) + writeMetricsLog(metrics, evaluations);
  if (log !== '') files.set(RUN_FILES.metrics, text(log));
  for (const [name, value] of evalFiles(evaluations)) files.set(name, json(value));
  files.set('README.md', text(modelCard({ ...parts, model }, files.keys())));
  return files;
}

/**
 * Reads a checkpoint, or just a Hugging Face model folder: what belongs to a run is then null or empty. The label of the files, which can
 * be listed, names them in messages, and the model where they do not. `loaded`: the model that a checkpoint without weights may belong to.
 * @throws CheckpointError or ModelFileError saying what was found, what is needed and what to do.
 */
export async function readCheckpoint(
  files: ModelFiles,
  loaded: LoadedModel | null = null,
): Promise<CheckpointParts> {
  const { label, names = [] } = files;
  const frozen = names.includes(BASE_FILE);
  const found = await modelOf(files, loaded);
  const model = frozen ? found : { ...(await namedOrigin(files)), ...found };

  const read = async <T>(name: string, parse: (bytes: Uint8Array) => T): Promise<T | null> => {
    const found = await readFile(files, name, {});
    if (found === null) return null;
    try {
      return parse(found);
    } catch (error) {
      if (error instanceof CheckpointError) throw error;
      throw new CheckpointError(
        `${label}: ${name} can't be used: ${messageOf(error)}. Load an undamaged checkpoint, or take out what can't be used to load the rest.`,
      );
    }
  };
  const adapter = await readAdapter(files, model.config, frozen);
  const object = (name: string) => (found: Uint8Array) => parseJsonObject(found, name, label);
  const runConfig = await read('config.json', (found) => runSettingsOf(object('config.json')(found)));
  // Other trainers leave a trainer_state.json of their own beside a model; it says nothing about our runs.
  const foreign = runConfig === null && !names.includes(RUN_FILES.optimizer);
  const trainer = foreign
    ? null
    : await read(RUN_FILES.trainerState, (found) =>
        trainerStateFromJson(object(RUN_FILES.trainerState)(found)),
      );
  const evaluations: EvalResult[] = [];
  for (const name of sortedEvalFiles(names)) {
    const evaluation = await read(name, (found) => evalResultFromJson(object(name)(found)));
    if (evaluation !== null) evaluations.push(evaluation);
  }
  return {
    model: trainer === null ? model : { ...model, name: trainer.modelName },
    optimizer: await read(RUN_FILES.optimizer, (found) =>
      readOptimizer(found, trainedSpecs(model.config, adapter), label),
    ),
    adapter,
    reference: await read(RUN_FILES.reference, (found) => {
      const where = `${label}: ${RUN_FILES.reference}`;
      if (frozen && adapter) return parsePeftWeights(found, model.config, adapter.settings, where);
      return checkWeights(parseSafetensors(found, where).tensors, model.config, where);
    }),
    runConfig,
    trainerState: trainer?.state ?? null,
    ...(await readRunData(read, runConfig)),
    metrics:
      (await read(RUN_FILES.metrics, (found) => readMetricsLog(new TextDecoder().decode(found)))) ?? [],
    evaluations,
  };
}

async function modelOf(files: ModelFiles, loaded: LoadedModel | null): Promise<LoadedModel> {
  const { label, names = [] } = files;
  const base = await readFile(files, BASE_FILE, {});
  if (base !== null) return baseOf(base, files, loaded);
  for (const needed of ['config.json', 'tokenizer.json']) {
    if (names.includes(needed)) continue;
    throw new CheckpointError(
      `${label} holds ${names.length} ${names.length === 1 ? 'file' : 'files'} but no ${needed}. A checkpoint needs config.json, model.safetensors and the tokenizer's files, at the top or in one folder.`,
    );
  }
  return loadModel(
    filesExcept(
      files,
      new Set([
        ...Object.values(RUN_FILES),
        ...Object.values(RUN_DATA_FILES),
        ...Object.values(ADAPTER_FILES),
      ]),
    ),
  );
}
