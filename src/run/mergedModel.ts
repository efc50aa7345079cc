/** A model with the weights that training made of it. */
import { parseJsonObject } from '../hub/readFile.ts';
import type { LoadedModel, WeightArrays } from '../hub/types.ts';

const CONFIG_FILE = 'config.json';

const withOwnHead = (configJson: Uint8Array, label: string): Uint8Array => {
  const config = { ...parseJsonObject(configJson, CONFIG_FILE, label), tie_word_embeddings: false };
  return new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`);
};

/**
 * The model with other weights of its architecture. Where they hold a head although the model's is tied, as those do that an
 * adapter of the head was merged into, the model gets a head of its own, also in its `config.json`.
 */
export function withWeights(model: LoadedModel, weights: WeightArrays): LoadedModel {
  if (!model.config.tiedHead || !weights.has('lm_head.weight')) return { ...model, weights };
  const sideFiles = new Map(model.sideFiles);
  const configJson = sideFiles.get(CONFIG_FILE);
  if (configJson) sideFiles.set(CONFIG_FILE, withOwnHead(configJson, model.name));
  return { ...model, config: { ...model.config, tiedHead: false }, weights, sideFiles };
}
