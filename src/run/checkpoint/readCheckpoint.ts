/** Checkpoints, and model folders in their place, read into their parts. Loaded when one is opened: no first screen does. */
import {
  loadModel,
  parsePeftWeights,
  type LoadedModel,
  type ModelFiles,
  parseJsonObject,
  readFile,
  parseSafetensors,
  filesExcept,
  checkWeights,
  type ModelConfig,
  type WeightArrays,
  expectedTensor,
} from '@rl-playground/engine/parts';
import { valueHeadSpecs } from '@rl-playground/engine/parts/tensors';
import { messageOf } from '@rl-playground/base/errors';
import { ADAPTER_FILES, namedOrigin, readAdapter } from './adapterFiles.ts';
import { BASE_FILE, baseOf, type BundledModels } from './baseModel.ts';
import { CheckpointError, type CheckpointParts } from './checkpointParts.ts';
import { evalResultFromJson, sortedEvalFiles } from '../records/evalFiles.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import { readMetricsLog } from '../records/metricsLog.ts';
import { runSettingsNote, runSettingsOf } from './runSettings.ts';
import { readOptimizer } from './optimizerFile.ts';
import { readRunData, RUN_DATA_FILES } from './runData.ts';
import { trainerStateFromJson } from './trainerState.ts';
import { RUN_FILES, trainedSpecs } from './checkpoint.ts';

/**
 * Reads a checkpoint, or just a Hugging Face model folder: what belongs to a run is then null or empty. The label of the files, which can
 * be listed, names them in messages, and the model where they do not. `loaded`: the model that a checkpoint without weights may belong to;
 * `bundled` brings those that come with the page.
 * @throws CheckpointError or ModelFileError saying what was found, what is needed and what to do.
 */
export async function readCheckpoint(
  files: ModelFiles,
  loaded: LoadedModel | null = null,
  bundled: BundledModels = () => null,
): Promise<CheckpointParts> {
  const { label, names = [] } = files;
  const frozen = names.includes(BASE_FILE);
  const found = await modelOf(files, loaded, bundled);
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
  const { runConfig, settingsNote } = (await read('config.json', (found) => {
    const config = object('config.json')(found);
    return { runConfig: runSettingsOf(config), settingsNote: runSettingsNote(config) };
  })) ?? { runConfig: null, settingsNote: null };
  // Other trainers leave a trainer_state.json of their own beside a model; it says nothing about our runs. One that went on from a
  // checkpoint of ours in its own folder has left our moments behind its weights.
  const stated =
    runConfig === null && !names.includes(RUN_FILES.optimizer)
      ? null
      : await read(RUN_FILES.trainerState, (found) => ({
          trainer: trainerStateFromJson(object(RUN_FILES.trainerState)(found)),
        }));
  const trainer = stated?.trainer ?? null;
  const foreign = stated?.trainer === null || (runConfig === null && !names.includes(RUN_FILES.optimizer));
  const valueHead = foreign
    ? null
    : await read(RUN_FILES.valueHead, (found) =>
        valueHeadOf(found, model.config, `${label}: ${RUN_FILES.valueHead}`),
      );
  if (trainer !== null && runConfig?.baseline === 'value' && valueHead === null)
    throw new CheckpointError(
      `${label}: ${RUN_FILES.valueHead} is missing, and the run's baseline is "value". Load the whole checkpoint.`,
    );
  const evaluations: EvalResult[] = [];
  for (const name of sortedEvalFiles(names)) {
    const evaluation = await read(name, (found) => evalResultFromJson(object(name)(found)));
    if (evaluation !== null) evaluations.push(evaluation);
  }
  return {
    model: trainer === null ? model : { ...model, name: trainer.modelName },
    optimizer: foreign
      ? null
      : await read(RUN_FILES.optimizer, (found) =>
          readOptimizer(found, trainedSpecs(model.config, adapter, valueHead), label),
        ),
    adapter,
    ...(valueHead && { valueHead }),
    reference: await read(RUN_FILES.reference, (found) => {
      const where = `${label}: ${RUN_FILES.reference}`;
      if (frozen && adapter) return parsePeftWeights(found, model.config, adapter.settings, where);
      return checkWeights(parseSafetensors(found, where).tensors, model.config, where);
    }),
    runConfig,
    ...(settingsNote !== null && { settingsNote }),
    trainerState: trainer?.state ?? null,
    ...(await readRunData(read, runConfig)),
    metrics:
      (await read(RUN_FILES.metrics, (found) => readMetricsLog(new TextDecoder().decode(found)))) ?? [],
    evaluations,
  };
}

function valueHeadOf(found: Uint8Array, { hiddenSize }: ModelConfig, where: string): WeightArrays {
  const { tensors } = parseSafetensors(found, where);
  const belongs = 'The value head belongs to another model.';
  return new Map(
    valueHeadSpecs(hiddenSize).map((spec) => [spec.name, expectedTensor(tensors, spec, where, belongs)]),
  );
}

async function modelOf(
  files: ModelFiles,
  loaded: LoadedModel | null,
  bundled: BundledModels,
): Promise<LoadedModel> {
  const { label, names = [] } = files;
  const base = await readFile(files, BASE_FILE, {});
  if (base !== null) return baseOf(base, files, loaded, bundled);
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
