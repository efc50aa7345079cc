/**
 * A checkpoint is a zip in Hugging Face layout: the model as any library reads it, and beside it what it takes to resume
 * the run to the bit (optimizer state, adapter and its base, reference policy, settings, trainer state) and its log.
 */
import {
  breathe,
  type LoadedModel,
  type OpenFile,
  openBytes,
  safetensorsFile,
  storedInMemory,
  widened,
  type ModelConfig,
  peftSpecs,
  type WeightArrays,
  WEIGHT_FILES,
  huggingFaceSpecs,
  type HuggingFaceSpec,
  type AdapterParts,
  withWeights,
} from '@rl-playground/engine/parts';
import { valueHeadSpecs } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';
import { adapterFiles } from './adapterFiles.ts';
import { baseFile } from './baseModel.ts';
import type { CheckpointParts } from './checkpointParts.ts';
import { evalFiles } from '../records/evalFiles.ts';
import { writeMetricsLog, writeSftLog } from '../records/metricsLog.ts';
import { ownConfig, withRunSettings } from './runSettings.ts';
import { modelCard } from './modelCard.ts';
import { writeOptimizer } from './optimizerFile.ts';
import { runDataFiles } from './runData.ts';
import { BASE_FILE, RUN_FILES } from './runFiles.ts';
import { trainerStateJson } from './trainerState.ts';
import { jsonBytes } from '@rl-playground/base/json';

const FORMAT = { format: 'pt' };

const text = (value: string): OpenFile => openBytes(new TextEncoder().encode(value));
const json = (value: unknown): OpenFile => openBytes(jsonBytes(value));

/** The trained tensors: all weights, or the adapter's; and the value head, if there is one. */
export function trainedSpecs(
  config: ModelConfig,
  adapter: AdapterParts | null,
  valueHead: WeightArrays | null,
): HuggingFaceSpec[] {
  const ofPolicy = adapter === null ? huggingFaceSpecs(config) : peftSpecs(config, adapter.settings);
  return valueHead ? [...ofPolicy, ...valueHeadSpecs(config.hiddenSize)] : ofPolicy;
}

interface ModelInFiles {
  readonly model: LoadedModel;
  readonly files: Map<string, OpenFile>;
}

const answersOfStep = (config: RunConfig | null): number =>
  config === null ? 1 : config.problemsPerStep * config.rolloutsPerProblem;

async function mergedFiles(before: LoadedModel): Promise<ModelInFiles> {
  const model = withWeights(before, await widened(before.weights));
  const files = new Map([...model.sideFiles].map(([name, bytes]) => [name, openBytes(bytes)]));
  files.set(WEIGHT_FILES.single, safetensorsFile(model.weights, FORMAT));
  return { model, files };
}

/** The files that name a model whose weights stay in its own files. */
function frozenFiles(model: LoadedModel): ModelInFiles {
  const config = model.sideFiles.get('config.json');
  const files = new Map([[BASE_FILE, openBytes(baseFile(model))]]);
  if (config) files.set('config.json', openBytes(config));
  return { model, files };
}

/**
 * Makes the files of the zip by path. Equal parts give equal bytes; arrays are not copied, and encoded as they are read. Without its `log` it
 * takes as long and as much at the end of a run as at its beginning.
 */
export async function checkpointFiles(
  parts: CheckpointParts,
  { log: withLog = true } = {},
): Promise<Map<string, OpenFile>> {
  const { optimizer, adapter, reference, valueHead, runConfig, trainerState, metrics, evaluations } = parts;
  const { model, files } = adapter?.base === null ? frozenFiles(parts.model) : await mergedFiles(parts.model);
  await breathe();
  if (optimizer !== null)
    files.set(
      RUN_FILES.optimizer,
      writeOptimizer(optimizer, trainedSpecs(model.config, adapter, valueHead ?? null)),
    );
  await breathe();
  if (adapter !== null) {
    for (const [name, file] of adapterFiles(adapter, model)) files.set(name, file);
  }
  if (reference !== null) files.set(RUN_FILES.reference, safetensorsFile(storedInMemory(reference), FORMAT));
  if (valueHead) files.set(RUN_FILES.valueHead, safetensorsFile(storedInMemory(valueHead), FORMAT));
  const config = ownConfig(model);
  if (runConfig !== null && config) files.set('config.json', json(withRunSettings(config, runConfig)));
  if (trainerState !== null)
    files.set(
      RUN_FILES.trainerState,
      json(trainerStateJson(trainerState, model.name, answersOfStep(runConfig))),
    );
  for (const [name, bytes] of runDataFiles(parts)) files.set(name, openBytes(bytes));
  const log = withLog ? writeSftLog(trainerState, runConfig) + writeMetricsLog(metrics, evaluations) : '';
  if (log !== '') files.set(RUN_FILES.metrics, text(log));
  for (const [name, value] of evalFiles(evaluations)) files.set(name, json(value));
  files.set('README.md', text(modelCard({ ...parts, model }, files.keys())));
  return files;
}
