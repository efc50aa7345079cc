/** Between Hugging Face's tensors and one packed array in the layout of `parameterSpecs`. */
import type { ModelConfig } from './config.ts';
import {
  huggingFaceSpecs,
  packedLength,
  parameterSpecs,
  type ParameterPart,
  type ParameterSpec,
} from './parameters.ts';

export type ArrayMap = ReadonlyMap<
  string,
  { readonly shape: readonly number[]; readonly data: Float32Array }
>;

/** Calls `move(ours, theirs)` with the index of each number of a part in the pool and in its Hugging Face tensor. */
function eachElement(
  { shape, transposed, offset }: ParameterSpec,
  { column, columns }: ParameterPart,
  move: (ours: number, theirs: number) => void,
): void {
  const rows = shape.length === 1 ? 1 : (shape[0] as number);
  const width = shape.at(-1) as number;
  for (let row = 0; row < rows; row++) {
    const from = offset + row * width + column;
    for (let i = 0; i < columns; i++) move(from + i, transposed ? i * rows + row : row * columns + i);
  }
}

/** Throws on a missing name. Shapes are the loader's to verify. */
export function packArrays(
  config: ModelConfig,
  arrays: ReadonlyMap<string, { readonly data: Float32Array }>,
): Float32Array<ArrayBuffer> {
  const pool = new Float32Array(packedLength(config));
  for (const spec of parameterSpecs(config)) {
    for (const part of spec.parts) {
      const array = arrays.get(part.name);
      if (!array) throw new Error(`The weights lack ${part.name}.`);
      const { data } = array;
      eachElement(spec, part, (ours, theirs) => (pool[ours] = data[theirs] as number));
    }
  }
  return pool;
}

/** Names, shapes, layout and order of a Hugging Face file, from a pool. Throws when the length differs. */
export function unpackArrays(
  config: ModelConfig,
  pool: Float32Array,
): Map<string, { shape: readonly number[]; data: Float32Array<ArrayBuffer> }> {
  const needed = packedLength(config);
  if (pool.length !== needed) {
    throw new Error(`Packed weights hold ${pool.length} numbers; this model needs ${needed}.`);
  }
  const arrays = new Map(
    huggingFaceSpecs(config).map(({ name, shape }) => {
      const data = new Float32Array(shape.reduce((product, extent) => product * extent, 1));
      return [name, { shape, data }];
    }),
  );
  for (const spec of parameterSpecs(config)) {
    for (const part of spec.parts) {
      const data = arrays.get(part.name)?.data;
      if (data) eachElement(spec, part, (ours, theirs) => (data[theirs] = pool[ours] as number));
    }
  }
  return arrays;
}
