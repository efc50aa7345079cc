/** Checkpoints, and model folders in their place, as their parts. This file is loaded when one is opened: no first screen needs it. */
import {
  loadModel,
  parsePeftWeights,
  type LoadedModel,
  type ModelFiles,
  checkWeights,
  type ModelConfig,
  type SafetensorsFile,
  type WeightArrays,
  expectedTensor,
} from '@rl-playground/engine/parts';
import { valueHeadSpecs } from '@rl-playground/engine/parts/tensors';
import { adapterOf, namedOrigin } from './adapterFiles.ts';
import { baseOf, type BundledModels } from './baseModel.ts';
import { trainedSpecs } from './checkpoint.ts';
import { CheckpointError, type CheckpointParts } from './checkpointParts.ts';
import { readOptimizer } from './optimizerFile.ts';
import { runDataOf } from './runData.ts';
import { BASE_FILE, recordsOf, RUN_FILES, RunFiles } from './runFiles.ts';
import { settingsOf } from './runSettings.ts';
import { trainerStateFromJson } from './trainerState.ts';

/**
 * Reads a checkpoint, or just a Hugging Face model folder: what belongs to a run is then null or empty. The label of the files, which can
 * be listed, names them in messages, and the model where they do not. `loaded`: the model that a checkpoint without weights may belong to;
 * `bundled` brings those that come with the page.
 * @throws CheckpointError or ModelFileError saying what was found, what is needed and what to do.
 */
export async function readCheckpoint(
  folder: ModelFiles,
  loaded: LoadedModel | null = null,
  bundled: BundledModels = () => null,
): Promise<CheckpointParts> {
  const files = await RunFiles.read(folder);
  const { label } = files;
  const model = await modelOf(files, loaded, bundled);
  const { config } = model;
  const adapter = await adapterOf(files, config);
  const { runConfig, settingsNote } = settingsOf(files);
  // Other trainers leave a trainer_state.json of their own beside a model; it says nothing about our runs. One that went on from a
  // checkpoint of ours in its own folder has left our moments behind its weights.
  const mayBeOurs = runConfig !== null || files.has(RUN_FILES.optimizer);
  const trainer = mayBeOurs ? files.json(RUN_FILES.trainerState, trainerStateFromJson) : null;
  const foreign = !mayBeOurs || (trainer === null && files.has(RUN_FILES.trainerState));
  const valueHead = foreign
    ? null
    : await files.tensors(RUN_FILES.valueHead, (found, where) => valueHeadIn(found, config, where));
  if (trainer !== null && runConfig?.baseline === 'value' && valueHead === null)
    throw new CheckpointError(
      `${label}: ${RUN_FILES.valueHead} is missing, and the run's baseline is "value". Load the whole checkpoint.`,
    );
  const { metrics, evaluations } = recordsOf(files);
  const trained = trainedSpecs(config, adapter, valueHead);
  return {
    model: trainer === null ? model : { ...model, name: trainer.modelName },
    optimizer: foreign
      ? null
      : await files.tensors(RUN_FILES.optimizer, (found, where) => readOptimizer(found, trained, where)),
    adapter,
    ...(valueHead && { valueHead }),
    reference: await files.tensors(RUN_FILES.reference, ({ tensors }, where) =>
      files.has(BASE_FILE) && adapter
        ? parsePeftWeights(tensors, config, adapter.settings, where)
        : checkWeights(tensors, config, where),
    ),
    runConfig,
    ...(settingsNote !== undefined && { settingsNote }),
    trainerState: trainer?.state ?? null,
    ...runDataOf(files, runConfig),
    metrics,
    evaluations,
  };
}

function valueHeadIn({ tensors }: SafetensorsFile, { hiddenSize }: ModelConfig, where: string): WeightArrays {
  const belongs = 'The value head belongs to another model.';
  return new Map(
    valueHeadSpecs(hiddenSize).map((spec) => [spec.name, expectedTensor(tensors, spec, where, belongs)]),
  );
}

/** They are of the run, so that the model does not carry them along. */
const OF_RUN: ReadonlySet<string> = new Set(Object.values(RUN_FILES));

async function modelOf(
  files: RunFiles,
  loaded: LoadedModel | null,
  bundled: BundledModels,
): Promise<LoadedModel> {
  const { folder, label, names } = files;
  const base = folder.object(BASE_FILE);
  if (base !== null) return baseOf(base, folder, loaded, bundled);
  for (const needed of ['config.json', 'tokenizer.json']) {
    if (files.has(needed)) continue;
    throw new CheckpointError(
      `${label} holds ${names.length} ${names.length === 1 ? 'file' : 'files'} but no ${needed}. A checkpoint needs config.json, model.safetensors and the tokenizer's files, at the top or in one folder.`,
    );
  }
  const model = await loadModel(folder);
  const sideFiles = new Map([...model.sideFiles].filter(([name]) => !OF_RUN.has(name)));
  return { ...namedOrigin(files), ...model, sideFiles };
}
