/** A model with the weights that training made of it. */
import { parseJsonObject } from '../../hub/readFile.ts';
import type { LoadedModel } from '../../hub/types.ts';
import type { WeightArrays } from '../../model/weights.ts';

const CONFIG_FILE = 'config.json';
/** Weights are stored as F32; transformers would round them to what the base model was published in. */
const STORED = 'float32';
const DTYPE_KEYS = ['dtype', 'torch_dtype'] as const;

/** What `config.json` has to say otherwise of the weights. */
function changesOf(config: object, ownHead: boolean): object {
  const found = new Map<string, unknown>(Object.entries(config));
  const dtypes = DTYPE_KEYS.map((key) => [key, found.get(key)] as const);
  const others = dtypes.filter(([, dtype]) => typeof dtype === 'string' && dtype !== STORED);
  return {
    ...Object.fromEntries(others.map(([key]) => [key, STORED])),
    ...(ownHead ? { tie_word_embeddings: false } : {}),
  };
}

/**
 * The model with other weights of its architecture. Where they hold a head although the model's is tied, as those do that an
 * adapter of the head was merged into, the model gets a head of its own. Its `config.json` says so, and that the weights are F32.
 */
export function withWeights(model: LoadedModel, weights: WeightArrays): LoadedModel {
  const ownHead = model.config.tiedHead && weights.has('lm_head.weight');
  const config = ownHead ? { ...model.config, tiedHead: false } : model.config;
  const bytes = model.sideFiles.get(CONFIG_FILE);
  if (bytes === undefined) return { ...model, config, weights };
  const json = parseJsonObject(bytes, CONFIG_FILE, model.name);
  const changes = changesOf(json, ownHead);
  if (Object.keys(changes).length === 0) return { ...model, config, weights };
  const changed = new TextEncoder().encode(`${JSON.stringify({ ...json, ...changes }, null, 2)}\n`);
  return { ...model, config, weights, sideFiles: new Map([...model.sideFiles, [CONFIG_FILE, changed]]) };
}
