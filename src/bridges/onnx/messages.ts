/** The part of ONNX's protobuf schema (onnx.proto) that an exported model needs, and its encoding. */
import { Writer } from 'protobufjs/minimal.js';
import { joined, openBytes, type OpenFile } from '@rl-playground/engine/parts';

/** Protobuf's own limit for one message, and so for one ONNX file with its weights inside. */
export const LARGEST_FILE = 2 ** 31 - 1;
/** The most bytes of a field's number and length. */
const LARGEST_HEADER = 10;
/** The smallest tensor outside of the graph. Smaller ones, such as axes and shapes, stay inside: runtimes read them before they open a data file. */
const SMALLEST_OUTSIDE = 1024;
/** Tensors begin at multiples of so many bytes, so that a runtime may use a data file where it lies. */
const ALIGNMENT = 64;

const ELEMENT_TYPES = { float32: 1, int64: 7, float16: 10 } as const;
export type ElementType = keyof typeof ELEMENT_TYPES;

export type Attribute =
  | { readonly int: number }
  | { readonly float: number }
  | { readonly ints: readonly number[] };

export interface Node {
  readonly type: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** A constant tensor. */
export interface Initializer {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** Its numbers, little-endian and row-major, which are made when they are read. */
  readonly data: OpenFile;
}

/** An input or output; a dimension is a size or the name of one that is only known at run time. */
export interface Value {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly (number | string)[];
}

export interface Model {
  readonly name: string;
  readonly irVersion: number;
  /** The version of the standard's set of ops. */
  readonly opset: number;
  readonly nodes: readonly Node[];
  readonly initializers: readonly Initializer[];
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

const LENGTH_DELIMITED = 2;
const VARINT = 0;
const FIXED_32 = 5;

/** Begins a field by its number in onnx.proto and its wire type. */
const field = (writer: Writer, id: number, wireType: number): Writer => writer.uint32((id << 3) | wireType);

function text(writer: Writer, id: number, value: string): void {
  field(writer, id, LENGTH_DELIMITED).string(value);
}

function integer(writer: Writer, id: number, value: number): void {
  field(writer, id, VARINT).int64(value);
}

function message(writer: Writer, id: number, write: () => void): void {
  field(writer, id, LENGTH_DELIMITED).fork();
  write();
  writer.ldelim();
}

function writeAttribute(writer: Writer, name: string, attribute: Attribute): void {
  const [FLOAT, INT, INTS] = [1, 2, 7];
  text(writer, 1, name);
  if ('float' in attribute) {
    field(writer, 2, FIXED_32).float(attribute.float);
    integer(writer, 20, FLOAT);
  } else if ('int' in attribute) {
    integer(writer, 3, attribute.int);
    integer(writer, 20, INT);
  } else {
    for (const value of attribute.ints) integer(writer, 8, value);
    integer(writer, 20, INTS);
  }
}

function writeNode(writer: Writer, node: Node): void {
  for (const input of node.inputs) text(writer, 1, input);
  for (const output of node.outputs) text(writer, 2, output);
  text(writer, 3, node.name);
  text(writer, 4, node.type);
  for (const [name, attribute] of Object.entries(node.attributes))
    message(writer, 5, () => writeAttribute(writer, name, attribute));
}

function writeValue(writer: Writer, value: Value): void {
  text(writer, 1, value.name);
  const writeShape = (): void => {
    for (const dimension of value.shape)
      message(writer, 1, () => {
        if (typeof dimension === 'number') integer(writer, 1, dimension);
        else text(writer, 2, dimension);
      });
  };
  message(writer, 2, () =>
    message(writer, 1, () => {
      integer(writer, 1, ELEMENT_TYPES[value.type]);
      message(writer, 2, writeShape);
    }),
  );
}

function encoded(write: (writer: Writer) => void): Uint8Array {
  const writer = Writer.create();
  write(writer);
  return writer.finish();
}

const fieldHeader = (id: number, length: number): Uint8Array =>
  encoded((writer) => field(writer, id, LENGTH_DELIMITED).uint32(length));

const lengthOf = (files: readonly OpenFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

function writeDescription(writer: Writer, { shape, type, name }: Initializer): void {
  for (const extent of shape) integer(writer, 1, extent);
  integer(writer, 2, ELEMENT_TYPES[type]);
  text(writer, 8, name);
}

/** An initializer as a field of the graph. Its values stay outside of the writer, which would copy them as it grows. */
function inside(initializer: Initializer): OpenFile[] {
  const { data } = initializer;
  const header = encoded((writer) => {
    writeDescription(writer, initializer);
    field(writer, 9, LENGTH_DELIMITED).uint32(data.size);
  });
  return [openBytes(fieldHeader(5, header.byteLength + data.size)), openBytes(header), data];
}

/** The place of an initializer's numbers in a data file beside the graph. */
interface Place {
  readonly location: string;
  readonly offset: number;
}

/** An initializer whose numbers are in a data file. */
function outside(initializer: Initializer, { location, offset }: Place): OpenFile[] {
  const EXTERNAL = 1;
  const entries = { location, offset: String(offset), length: String(initializer.data.size) };
  const description = encoded((writer) => {
    writeDescription(writer, initializer);
    for (const [key, value] of Object.entries(entries))
      message(writer, 13, () => {
        text(writer, 1, key);
        text(writer, 2, value);
      });
    integer(writer, 14, EXTERNAL);
  });
  return [openBytes(fieldHeader(5, description.byteLength)), openBytes(description)];
}

function graphFile(model: Model, initializers: readonly OpenFile[]): OpenFile {
  const nodes = encoded((writer) => {
    for (const node of model.nodes) message(writer, 1, () => writeNode(writer, node));
    text(writer, 2, model.name);
    for (const input of model.inputs) message(writer, 11, () => writeValue(writer, input));
    for (const output of model.outputs) message(writer, 12, () => writeValue(writer, output));
  });
  const head = encoded((writer) => {
    integer(writer, 1, model.irVersion);
    text(writer, 2, 'RL Playground');
    message(writer, 8, () => integer(writer, 2, model.opset));
  });
  const length = nodes.byteLength + lengthOf(initializers);
  return joined([...[head, fieldHeader(7, length), nodes].map(openBytes), ...initializers]);
}

/**
 * The files of a model by name, which are made as they are read: the graph with all weights in it, or if that would be larger than `largest`
 * bytes, the graph, and the weights in `NAME_data`, `NAME_data_1`, … beside it, as transformers.js names them.
 */
export function modelFiles(model: Model, name: string, largest: number): Map<string, OpenFile> {
  const whole = graphFile(model, model.initializers.flatMap(inside));
  if (whole.size <= largest - LARGEST_HEADER) return new Map([[name, whole]]);
  const files: OpenFile[][] = [[]];
  const nameOf = (index: number): string => `${name}_data${index === 0 ? '' : `_${index}`}`;
  const placed = (data: OpenFile): Place => {
    const size = lengthOf(files.at(-1) ?? []);
    if (size > 0 && size + data.size > largest) files.push([]);
    const file = files.at(-1) ?? [];
    const place = { location: nameOf(files.length - 1), offset: lengthOf(file) };
    const gap = (ALIGNMENT - (data.size % ALIGNMENT)) % ALIGNMENT;
    file.push(data, ...(gap > 0 ? [openBytes(new Uint8Array(gap))] : []));
    return place;
  };
  const initializers = model.initializers.flatMap((initializer) =>
    initializer.data.size < SMALLEST_OUTSIDE
      ? inside(initializer)
      : outside(initializer, placed(initializer.data)),
  );
  const data = files.map((parts, index) => [nameOf(index), joined(parts)] as const);
  return new Map([[name, graphFile(model, initializers)], ...data]);
}
