/** A model as a folder in Hugging Face layout, with a `config.json` that describes trained weights. */
import { exportedConfig } from './exportedConfig.ts';
import { writeSafetensors } from './safetensors.ts';
import type { LoadedModel } from './types.ts';
import { parseJsonObject, WEIGHT_FILES } from './openFolder.ts';
import { storedInMemory, numberTypeOf, type NumberType, type StoredWeights } from '../model/storedWeights.ts';
import type { TensorData, WeightArrays } from '../model/weights.ts';
import { jsonBytes } from '@rl-playground/base/json';
import { HEAD } from '../model/weightNames.ts';

/**
 * The files of a trained model by name: weights, configs, tokenizer. `loadModel` and any Hugging Face library can read them.
 *
 * @throws Error if the weights are still in the files that the model was loaded from.
 */
export function modelFiles(model: LoadedModel): Map<string, Uint8Array> {
  const arrays = new Map<string, TensorData>();
  for (const [name, { shape, data }] of model.weights) {
    if (data === undefined)
      throw new Error(
        `${model.name}: ${name} was not trained and is not in memory. Copy the files that the model was loaded from, or pass what trainedModel gave.`,
      );
    arrays.set(name, { shape, data });
  }
  const { sideFiles } = withWeights(model, arrays);
  return new Map([
    ...sideFiles,
    [WEIGHT_FILES.single, writeSafetensors(arrays, { metadata: { format: 'pt' } })],
  ]);
}

const CONFIG_FILE = 'config.json';
/** `config.json` of weights that are stored as F32. */
export const storedConfig = (json: object, tied: boolean): object =>
  exportedConfig(json, { dtype: 'float32', tied });

const TYPE_NAMES: Readonly<Record<NumberType, string>> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' };

/** The type as which libraries should load the weights: the type of all, or F32, which can hold every number of them. */
function typeName(weights: StoredWeights): string {
  const [first, ...others] = new Set([...weights.values()].map(({ dtype }) => dtype));
  return first === undefined || others.length > 0 ? TYPE_NAMES.F32 : TYPE_NAMES[numberTypeOf(first)];
}

/**
 * The model with other weights of its architecture. If they have a head although the model's is tied, because an adapter of the head was
 * merged into it, the model gets a head of its own. Its `config.json` says so, and names the type of the weights.
 */
export function withStoredWeights(model: LoadedModel, weights: StoredWeights): LoadedModel {
  const ownHead = model.config.tiedHead && weights.has(HEAD);
  const config = ownHead ? { ...model.config, tiedHead: false } : model.config;
  const bytes = model.sideFiles.get(CONFIG_FILE);
  if (bytes === undefined) return { ...model, config, weights, gguf: undefined, contentHash: null };
  const json = parseJsonObject(bytes, CONFIG_FILE, model.name);
  const changed = jsonBytes(exportedConfig(json, { dtype: typeName(weights), tied: config.tiedHead }));
  return {
    ...model,
    config,
    weights,
    gguf: undefined,
    contentHash: null,
    sideFiles: new Map([...model.sideFiles, [CONFIG_FILE, changed]]),
  };
}

/** `withStoredWeights` for weights in memory. */
export function withWeights(model: LoadedModel, arrays: WeightArrays): LoadedModel {
  return withStoredWeights(model, storedInMemory(arrays));
}
