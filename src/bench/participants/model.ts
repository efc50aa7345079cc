/** The model that a workload names, as arrays on the host. */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { loadWeights } from '../../hub/load.ts';
import type { WeightArrays } from '../../model/weights.ts';
import { parseModelConfig, type ModelConfig } from '../../model/config.ts';
import { initialWeights } from '../../model/initialize.ts';
import type { ModelSource, OpenFiles } from '../types.ts';

export interface HostModel {
  readonly config: ModelConfig;
  /** Hugging Face names and layout. */
  readonly weights: WeightArrays;
}

/** Published shapes that random weights are made for; sizes from each model's config.json. */
const SHAPES: Readonly<Record<string, ModelConfig>> = {
  'smollm2-135m': parseModelConfig({
    model_type: 'llama',
    vocab_size: 49152,
    hidden_size: 576,
    num_hidden_layers: 30,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    intermediate_size: 1536,
    max_position_embeddings: 8192,
    rms_norm_eps: 1e-5,
    rope_theta: 100000,
    tie_word_embeddings: true,
  }),
};
export const SHAPE_NAMES: readonly string[] = Object.keys(SHAPES);

const SEED = 135;

/**
 * Loads a folder, or makes the same random weights on every call.
 *
 * @throws ModelFileError for a damaged folder, Error for a shape that is not known.
 */
export async function hostModel(source: ModelSource, openFiles: OpenFiles): Promise<HostModel> {
  if (source.kind === 'folder') return loadWeights(await openFiles(source.label, source.address));
  const config = SHAPES[source.name];
  if (!config) {
    throw new Error(`There is no shape "${source.name}"; choose one of: ${SHAPE_NAMES.join(', ')}.`);
  }
  const random = xoroshiro128plus(SEED);
  return { config, weights: initialWeights(config, () => uniformFloat64(random)) };
}

/** A model's arrays by Hugging Face's name, weights of linear maps as [in, out]; without a head that is tied. */
export function* modelArrays({
  config,
  weights,
}: HostModel): Generator<readonly [name: string, data: Float32Array, shape: readonly number[]]> {
  for (const [name, { shape, data }] of weights) {
    if (name === 'lm_head.weight' && config.tiedHead) continue;
    const [outputs = 0, inputs = 0] = shape;
    if (!name.endsWith('_proj.weight')) yield [name, data, shape];
    else yield [name, transposed(data, outputs, inputs), [inputs, outputs]];
  }
}

function transposed(data: Float32Array, rows: number, columns: number): Float32Array {
  const turned = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      turned[column * rows + row] = data[row * columns + column] as number;
    }
  }
  return turned;
}
