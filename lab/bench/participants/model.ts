/** The model that a workload names, as arrays on the host. */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import {
  fromBfloat16,
  toBfloat16,
  loadModel,
  loadWeights,
  type LoadedModel,
  type StoredTensor,
  type WeightArrays,
  parseModelConfig,
  type ModelConfig,
  initialWeights,
} from '@rl-playground/engine/parts';
import { SHAPE_NAMES, SHAPES } from '@rl-playground/run/models';
import type { ModelSource, OpenFiles } from '../types.ts';

export interface HostModel {
  readonly config: ModelConfig;
  /** Hugging Face names and layout. */
  readonly weights: WeightArrays;
}

const SEED = 135;

/**
 * Loads a folder, or makes the same random weights on every call.
 *
 * @throws ModelFileError for a damaged folder, Error for a shape that is not known.
 */
export async function hostModel(source: ModelSource, openFiles: OpenFiles): Promise<HostModel> {
  if (source.kind === 'folder') return loadWeights(await openFiles(source.label, source.address));
  const shape = SHAPES[source.name];
  if (!shape) {
    throw new Error(`There is no shape "${source.name}"; choose one of: ${SHAPE_NAMES.join(', ')}.`);
  }
  const config = parseModelConfig(shape);
  const random = xoroshiro128plus(SEED);
  const weights = initialWeights(config, () => uniformFloat64(random));
  // Published models have weights in bf16.
  for (const { data } of weights.values()) data.set(fromBfloat16(toBfloat16(data)));
  return { config, weights };
}

/** The same numbers in the words of their files; random weights in bf16. @throws as `hostModel`. */
export async function storedModel(
  source: ModelSource,
  openFiles: OpenFiles,
): Promise<Pick<LoadedModel, 'config' | 'weights'>> {
  if (source.kind === 'folder') return loadModel(await openFiles(source.label, source.address));
  const { config, weights } = await hostModel(source, openFiles);
  const halves = [...weights].map(([name, { shape, data }]): [string, StoredTensor] => {
    const bytes = new Uint8Array(toBfloat16(data).buffer);
    return [
      name,
      { shape, dtype: 'BF16', read: (begin, end) => Promise.resolve(bytes.subarray(begin, end)) },
    ];
  });
  return { config, weights: new Map(halves) };
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
