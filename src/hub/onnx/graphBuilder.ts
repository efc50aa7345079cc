/** Puts a graph together node by node; every op returns the names of its outputs. */
import type { Attribute, ElementType, Initializer, Node } from './messages.ts';

export type Attributes = Readonly<Record<string, Attribute>>;

/** Set of ops that onnxruntime adds to the standard ones. */
export const CONTRIB = 'com.microsoft';

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);

const bytesOf = (values: Float32Array | Uint16Array | BigInt64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

export class GraphBuilder {
  readonly nodes: Node[] = [];
  readonly initializers = new Map<string, Initializer>();

  /** One node; `outputs` names what it gives, an empty name what nobody asks for. */
  node(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Attributes = {},
    domain = '',
  ): void {
    this.nodes.push({ type, domain, name: `${outputs[0] ?? ''}/${type}`, inputs, outputs, attributes });
  }

  /** A node with one output, which gets the name `name`. */
  op(
    name: string,
    type: string,
    inputs: readonly string[],
    attributes: Attributes = {},
    domain = '',
  ): string {
    this.node(type, inputs, [name], attributes, domain);
    return name;
  }

  /** Whether a node gives this name already. */
  has(name: string): boolean {
    return this.nodes.some(({ outputs }) => outputs.includes(name));
  }

  /** A constant whose values are made when the file is written. */
  initializer(
    name: string,
    type: ElementType,
    shape: readonly number[],
    values: () => Float32Array | Uint16Array,
  ): string {
    const width = type === 'float16' ? 2 : 4;
    this.initializers.set(name, {
      name,
      type,
      shape,
      byteLength: sizeOf(shape) * width,
      bytes: () => bytesOf(values()),
    });
    return name;
  }

  /** Integers such as axes and shapes; equal ones are kept once. */
  integers(values: readonly number[]): string {
    const name = `integers/${values.join(',')}`;
    const bytes = bytesOf(BigInt64Array.from(values, BigInt));
    this.initializers.set(name, {
      name,
      type: 'int64',
      shape: [values.length],
      byteLength: bytes.byteLength,
      bytes: () => bytes,
    });
    return name;
  }

  /** One integer without dimensions. */
  integer(value: number): string {
    const name = `integer/${value}`;
    const bytes = bytesOf(BigInt64Array.of(BigInt(value)));
    this.initializers.set(name, { name, type: 'int64', shape: [], byteLength: 8, bytes: () => bytes });
    return name;
  }

  /** One number without dimensions. */
  number(value: number): string {
    return this.initializer(`number/${value}`, 'float32', [], () => Float32Array.of(value));
  }
}
