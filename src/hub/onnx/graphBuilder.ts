/**
 * Puts a graph together node by node, and a model's weights as constants of it. Names of tensors are also the names of the nodes that give
 * them.
 */
import type { Attribute, ElementType, Initializer, Node } from './messages.ts';
import { toFloat16 } from '../../base/halfFloats.ts';
import type { TensorData, WeightArrays } from '../../model/weights.ts';
import { sizeOf } from '../../model/parameters.ts';

export type Attributes = Readonly<Record<string, Attribute>>;

const bytesOf = (values: Float32Array | Uint16Array | BigInt64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

export class GraphBuilder {
  readonly nodes: Node[] = [];
  readonly #initializers = new Map<string, Initializer>();

  get initializers(): readonly Initializer[] {
    return [...this.#initializers.values()];
  }

  /** One node with the outputs `outputs`. */
  node(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Attributes = {},
  ): void {
    this.nodes.push({ type, name: outputs[0] ?? type, inputs, outputs, attributes });
  }

  /** A node with one output, whose name is given and returned. */
  op(name: string, type: string, inputs: readonly string[], attributes: Attributes = {}): string {
    this.node(type, inputs, [name], attributes);
    return name;
  }

  /** A constant whose values are made when the file is written. */
  constant(
    name: string,
    type: Exclude<ElementType, 'int64'>,
    shape: readonly number[],
    values: () => Float32Array | Uint16Array,
  ): string {
    const byteLength = sizeOf(shape) * (type === 'float16' ? 2 : 4);
    this.#initializers.set(name, { name, type, shape, byteLength, bytes: () => bytesOf(values()) });
    return name;
  }

  /** Integers such as axes and shapes; equal ones are kept once. */
  integers(values: readonly number[]): string {
    return this.#integers(`integers/${values.join(',')}`, [values.length], values);
  }

  /** One integer without dimensions. */
  integer(value: number): string {
    return this.#integers(`integer/${value}`, [], [value]);
  }

  /** One number without dimensions. */
  number(value: number): string {
    return this.constant(`number/${value}`, 'float32', [], () => Float32Array.of(value));
  }

  #integers(name: string, shape: readonly number[], values: readonly number[]): string {
    const bytes = bytesOf(BigInt64Array.from(values, BigInt));
    this.#initializers.set(name, {
      name,
      type: 'int64',
      shape,
      byteLength: bytes.byteLength,
      bytes: () => bytes,
    });
    return name;
  }
}

export type WeightType = 'float32' | 'float16';

/** Hugging Face's [out, in] matrices to one [in, sum of outs]. */
function transposedSideBySide(parts: readonly TensorData[], inputs: number, columns: number): Float32Array {
  const result = new Float32Array(inputs * columns);
  let column = 0;
  for (const { shape, data } of parts) {
    const [outputs = 0] = shape;
    for (let i = 0; i < inputs; i++) {
      for (let o = 0; o < outputs; o++) result[i * columns + column + o] = data[o * inputs + i] ?? 0;
    }
    column += outputs;
  }
  return result;
}

function joined(parts: readonly TensorData[]): Float32Array {
  const result = new Float32Array(parts.reduce((sum, { data }) => sum + data.length, 0));
  let offset = 0;
  for (const { data } of parts) {
    result.set(data, offset);
    offset += data.length;
  }
  return result;
}

/** Linear weights as [in, out], side by side where they share their input. */
export class WeightConstants {
  readonly #graph: GraphBuilder;
  readonly #arrays: WeightArrays;
  readonly #type: WeightType;

  constructor(graph: GraphBuilder, arrays: WeightArrays, type: WeightType) {
    this.#graph = graph;
    this.#arrays = arrays;
    this.#type = type;
  }

  /** As it lies in the file: norms, the embedding. */
  asIs(name: string): string {
    const { shape, data } = this.#array(name);
    return this.#constant(name, shape, () => data);
  }

  /** Vectors one after the other in one constant `name`. */
  joined(name: string, parts: readonly string[]): string {
    const arrays = parts.map((part) => this.#array(part));
    return this.#constant(name, [arrays.reduce((sum, { data }) => sum + data.length, 0)], () =>
      joined(arrays),
    );
  }

  /** Linear maps of one input as one matrix `name`: [in, sum of outs]. */
  linear(name: string, parts: readonly string[]): string {
    const arrays = parts.map((part) => this.#array(part));
    const inputs = arrays[0]?.shape[1] ?? 0;
    const columns = arrays.reduce((sum, { shape }) => sum + (shape[0] ?? 0), 0);
    return this.#constant(name, [inputs, columns], () => transposedSideBySide(arrays, inputs, columns));
  }

  #array(name: string): TensorData {
    const array = this.#arrays.get(name);
    if (!array) throw new Error(`The weights lack ${name}.`);
    return array;
  }

  /** Half-precision constants are widened when a session opens, so that all arithmetic stays f32. */
  #constant(name: string, shape: readonly number[], values: () => Float32Array): string {
    if (this.#type === 'float32') return this.#graph.constant(name, 'float32', shape, values);
    const stored = this.#graph.constant(`${name}.half`, 'float16', shape, () => toFloat16(values()));
    return this.#graph.op(name, 'Cast', [stored], { to: { int: 1 } });
  }
}
