/** Puts a graph together node by node; names of tensors are also the names of the nodes that give them. */
import type { Attribute, ElementType, Initializer, Node } from './messages.ts';

export type Attributes = Readonly<Record<string, Attribute>>;

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);

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
