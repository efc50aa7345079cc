/** A model as a folder in Hugging Face layout, with nothing of a run beside it. */
import { writeSafetensors } from '../../hub/safetensors.ts';
import type { LoadedModel } from '../../hub/types.ts';
import { withWeights } from './mergedModel.ts';

/** Files by name: weights, configs, tokenizer. What `loadModel` reads again, and any Hugging Face library. */
export function modelFiles(model: LoadedModel): Map<string, Uint8Array> {
  const { sideFiles, weights } = withWeights(model, model.weights);
  return new Map([
    ...sideFiles,
    ['model.safetensors', writeSafetensors(weights, { metadata: { format: 'pt' } })],
  ]);
}
