/** The starter model's tokenizer and prompts with a far smaller model of random weights: a whole run takes seconds. */
import { loadModel } from '../hub/load.ts';
import { OpenFolder } from '../hub/openFolder.ts';
import { writeSafetensors } from '../hub/safetensors.ts';
import { filesInMemory } from '../hub/sources.ts';
import type { LoadedModel, ModelFiles } from '../hub/types.ts';
import { parseModelConfig } from '../model/config.ts';
import { initialWeights } from '../model/initialize.ts';
import { drawsFor } from '@rl-playground/base/random';

const TINY_SHAPE = {
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
};

/** `starter` is the folder `public/models/starter`, from any source. `shape` has entries for its config.json. */
export async function tinyStarter(
  starter: ModelFiles,
  seed = 1,
  shape: object = TINY_SHAPE,
): Promise<LoadedModel> {
  const files = new Map<string, Uint8Array>();
  for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'generation_config.json']) {
    const bytes = await new OpenFolder(starter).read(name);
    if (bytes !== null) files.set(name, bytes);
  }
  const starterConfig = JSON.parse(new TextDecoder().decode(files.get('config.json'))) as object;
  const configJson = {
    ...starterConfig,
    ...shape,
  };
  const config = parseModelConfig(configJson);
  files.set('config.json', new TextEncoder().encode(JSON.stringify(configJson)));
  files.set('model.safetensors', writeSafetensors(initialWeights(config, drawsFor(seed))));
  return loadModel(filesInMemory('tiny', files));
}
