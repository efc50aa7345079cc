/** Puts a graph together node by node, with a model's weights as constants. A tensor has the name of the node that gives it. */
import { int, type Attribute, type ElementType, type Initializer, type Message } from './messages.ts';
import {
  sizeOf,
  encode,
  readNumbers,
  storedAs,
  storedBytes,
  type StoredTensor,
  type StoredWeights,
  openBytes,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { requiredTensor } from '@rl-playground/engine/parts/tensors';

export type Attributes = Readonly<Record<string, Attribute>>;

const bytesOf = (values: Float32Array | BigInt64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

export class GraphBuilder {
  readonly nodes: Message[] = [];
  readonly #initializers = new Map<string, Initializer>();

  get initializers(): readonly Initializer[] {
    return [...this.#initializers.values()];
  }

  node(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Attributes = {},
  ): void {
    const attribute = Object.entries(attributes).map(([name, value]) => ({ name, ...value }));
    this.nodes.push({ input: inputs, output: outputs, name: outputs[0] ?? type, opType: type, attribute });
  }

  /** Adds a node with one output of the same name, which is returned. */
  op(name: string, type: string, inputs: readonly string[], attributes: Attributes = {}): string {
    this.node(type, inputs, [name], attributes);
    return name;
  }

  /** Adds a constant, whose bytes may be made when they are read. */
  constant(name: string, type: ElementType, shape: readonly number[], data: OpenFile): string {
    this.#initializers.set(name, { name, type, shape, data });
    return name;
  }

  table(name: string, shape: readonly number[], values: Float32Array): string {
    return this.constant(name, 'float32', shape, openBytes(bytesOf(values)));
  }

  /** Adds integers such as axes and shapes; equal ones are kept once. */
  integers(values: readonly number[]): string {
    return this.#integers(`integers/${values.join(',')}`, [values.length], values);
  }

  /** Adds one integer without dimensions. */
  integer(value: number): string {
    return this.#integers(`integer/${value}`, [], [value]);
  }

  /** Adds one number without dimensions. */
  number(value: number): string {
    return this.table(`number/${value}`, [], Float32Array.of(value));
  }

  #integers(name: string, shape: readonly number[], values: readonly number[]): string {
    return this.constant(name, 'int64', shape, openBytes(bytesOf(BigInt64Array.from(values, BigInt))));
  }
}

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
