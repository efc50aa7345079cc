/** A model's weights as constants of a graph. */
import type { GraphBuilder } from './graphBuilder.ts';
import { int } from './messages.ts';
import {
  sizeOf,
  encode,
  readNumbers,
  storedAs,
  storedBytes,
  type StoredTensor,
  type StoredWeights,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { requiredTensor } from '@rl-playground/engine/parts/tensors';

export type WeightType = 'float32' | 'float16';

const TYPES = { float32: 'F32', float16: 'F16' } as const;

const numbersOf = (tensor: StoredTensor): Promise<Float32Array> =>
  readNumbers(tensor, 0, sizeOf(tensor.shape));

/** Joins Hugging Face's [out, in] matrices to one [in, sum of outs], or vectors [out] to one [sum of outs]. */
async function transposedSideBySide(
  parts: readonly StoredTensor[],
  inputs: number,
  columns: number,
): Promise<Float32Array> {
  const result = new Float32Array(inputs * columns);
  let column = 0;
  for (const part of parts) {
    const data = await numbersOf(part);
    const [outputs = 0] = part.shape;
    for (let i = 0; i < inputs; i++) {
      for (let o = 0; o < outputs; o++) result[i * columns + column + o] = data[o * inputs + i] ?? 0;
    }
    column += outputs;
  }
  return result;
}

/** A file of `size` bytes that is made as a whole when its beginning is read, and released when its end is. */
function madeWhole(size: number, make: () => Promise<Uint8Array>): OpenFile {
  let made: Promise<Uint8Array> | null = null;
  return {
    size,
    async read(begin, end) {
      made ??= make();
      const bytes = await made;
      if (end === size) made = null;
      return bytes.subarray(begin, end);
    },
  };
}

/** Weights as constants. Linear ones are [in, out], and side by side if they share their input. */
export class WeightConstants {
  readonly #graph: GraphBuilder;
  readonly #weights: StoredWeights;
  readonly #type: WeightType;

  constructor(graph: GraphBuilder, weights: StoredWeights, type: WeightType) {
    this.#graph = graph;
    this.#weights = weights;
    this.#type = type;
  }

  /** Adds a weight as it lies in the file, such as a norm or the embedding. */
  asIs(name: string): string {
    const tensor = this.#tensor(name);
    return this.#constant(name, tensor.shape, {
      size: storedBytes(tensor),
      read: (begin, end) => tensor.read(begin, end),
    });
  }

  /** Adds the linear maps of one input as one matrix, [in, sum of outs], or their biases as one vector. */
  linear(name: string, parts: readonly string[]): string {
    const tensors = parts.map((part) => this.#tensor(part));
    const inputs = tensors[0]?.shape.slice(1) ?? [];
    const columns = tensors.reduce((sum, { shape }) => sum + (shape[0] ?? 0), 0);
    const [dtype, shape] = [TYPES[this.#type], [...inputs, columns]];
    const make = async (): Promise<Uint8Array> =>
      encode(await transposedSideBySide(tensors, sizeOf(inputs), columns), dtype);
    return this.#constant(name, shape, madeWhole(storedBytes({ shape, dtype }), make));
  }

  /** The tensor in the type that is written, which refuses numbers that it can't hold. */
  #tensor(name: string): StoredTensor {
    return storedAs(name, requiredTensor(this.#weights, name), TYPES[this.#type]);
  }

  /** Half-precision constants are widened when a session opens, so that all arithmetic stays f32. */
  #constant(name: string, shape: readonly number[], data: OpenFile): string {
    if (this.#type === 'float32') return this.#graph.constant(name, 'float32', shape, data);
    const stored = this.#graph.constant(`${name}.half`, 'float16', shape, data);
    return this.#graph.op(name, 'Cast', [stored], { to: int(1) });
  }
}
