/** The encoding of an exported model. The part of ONNX's schema (onnx.proto) that it needs is in onnx.json. */
import { Writer } from 'protobufjs/minimal.js';
import { joined, openBytes, type OpenFile, paddingBehind } from '@rl-playground/engine/parts';
import SCHEMA from './onnx.json' with { type: 'json' };

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

/** The numbers of `AttributeProto.AttributeType`. */
const [FLOAT, INT, INTS] = [1, 2, 7];

/** A message with values for some fields of its schema; a list is a field that comes several times. */
export type Message = Readonly<Record<string, unknown>>;

/** An attribute of a node without its name. */
export type Attribute = Message;

export const int = (i: number): Attribute => ({ i, type: INT });
export const float = (f: number): Attribute => ({ f, type: FLOAT });
export const ints = (values: readonly number[]): Attribute => ({ ints: values, type: INTS });

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
  readonly nodes: readonly Message[];
  readonly initializers: readonly Initializer[];
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

const LENGTH_DELIMITED = 2;
const VARINT = 0;
const FIXED_32 = 5;

/** The fields that are written here, in the order of their numbers, as protobufjs describes messages. */
const MESSAGES: Readonly<
  Record<string, Readonly<Record<string, { readonly id: number; readonly type: string }>>>
> = SCHEMA;

/** Begins a field by its number and its wire type. */
const field = (writer: Writer, id: number, wireType: number): Writer => writer.uint32((id << 3) | wireType);

function write(writer: Writer, name: string, message: Message): void {
  for (const [key, { id, type }] of Object.entries(MESSAGES[name] ?? {}))
    for (const value of [message[key] ?? []].flat())
      if (type === 'string') field(writer, id, LENGTH_DELIMITED).string(value as string);
      else if (type === 'int64') field(writer, id, VARINT).int64(value as number);
      else if (type === 'float') field(writer, id, FIXED_32).float(value as number);
      else {
        field(writer, id, LENGTH_DELIMITED).fork();
        write(writer, type, value as Message);
        writer.ldelim();
      }
}

function encoded(name: keyof typeof SCHEMA, message: Message): Uint8Array {
  const writer = Writer.create();
  write(writer, name, message);
  return writer.finish();
}

function valueMessage({ name, type, shape }: Value): Message {
  const dim = shape.map((each) => (typeof each === 'number' ? { dimValue: each } : { dimParam: each }));
  return { name, type: { tensorType: { elemType: ELEMENT_TYPES[type], shape: { dim } } } };
}

/** The beginning of a field whose value follows. */
const fieldHeader = (id: number, length: number): Uint8Array =>
  field(Writer.create(), id, LENGTH_DELIMITED).uint32(length).finish();

const lengthOf = (files: readonly OpenFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

const description = ({ shape, type, name }: Initializer) => ({
  dims: shape,
  dataType: ELEMENT_TYPES[type],
  name,
});

/** An initializer as a field of the graph. Its values stay outside of the writer, which would copy them as it grows. */
function inside(initializer: Initializer): OpenFile[] {
  const { data } = initializer;
  const parts = [encoded('TensorProto', description(initializer)), fieldHeader(9, data.size)].map(openBytes);
  return [openBytes(fieldHeader(5, lengthOf(parts) + data.size)), ...parts, data];
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
  const externalData = Object.entries(entries).map(([key, value]) => ({ key, value }));
  const tensor = encoded('TensorProto', {
    ...description(initializer),
    externalData,
    dataLocation: EXTERNAL,
  });
  return [openBytes(fieldHeader(5, tensor.byteLength)), openBytes(tensor)];
}

function graphFile(model: Model, initializers: readonly OpenFile[]): OpenFile {
  const { name, irVersion, opset: version } = model;
  const graph = encoded('GraphProto', {
    node: model.nodes,
    name,
    input: model.inputs.map(valueMessage),
    output: model.outputs.map(valueMessage),
  });
  const head = encoded('ModelProto', { irVersion, producerName: 'RL Playground', opsetImport: { version } });
  const length = graph.byteLength + lengthOf(initializers);
  return joined([...[head, fieldHeader(7, length), graph].map(openBytes), ...initializers]);
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
    file.push(data, ...paddingBehind(data.size, ALIGNMENT));
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
