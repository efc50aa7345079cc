/** Puts a graph together node by node. A tensor has the name of the node that gives it. */
import { type Attribute, type ElementType, type Initializer, type Message } from './messages.ts';
import { openBytes, type OpenFile } from '@rl-playground/engine/parts';

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
