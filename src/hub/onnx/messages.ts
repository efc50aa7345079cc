/** The part of ONNX's protobuf schema (onnx.proto) that an exported model needs, and its encoding. */
import { Writer } from 'protobufjs/minimal.js';
import { grouped } from '../../base/text.ts';

/** Protobuf's own limit for one message, and so for one ONNX file with its weights inside. */
const LARGEST_FILE = 2 ** 31 - 1;
/** Bytes of a field's number and length, at most. */
const LARGEST_HEADER = 10;

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

/** A constant tensor; its bytes are asked for once, when the file is put together. */
export interface Initializer {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly byteLength: number;
  /** Little-endian, row-major. */
  bytes(): Uint8Array;
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
  /** Version of the standard's set of ops. */
  readonly opset: number;
  readonly nodes: readonly Node[];
  readonly initializers: readonly Initializer[];
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

const LENGTH_DELIMITED = 2;
const VARINT = 0;
const FIXED_32 = 5;

/** Begins a field: its number in onnx.proto and its wire type. */
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

/** Part of a file: bytes that are there, or a tensor's, made when it is its turn. */
type Chunk = Uint8Array | Initializer;

const lengthOf = (chunks: readonly Chunk[]): number =>
  chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);

function encoded(write: (writer: Writer) => void): Uint8Array {
  const writer = Writer.create();
  write(writer);
  return writer.finish();
}

const fieldHeader = (id: number, length: number): Uint8Array =>
  encoded((writer) => field(writer, id, LENGTH_DELIMITED).uint32(length));

/** An initializer as a field of the graph; its values stay outside of the writer, which would copy them as it grows. */
function initializerChunks(initializer: Initializer): Chunk[] {
  const header = encoded((writer) => {
    for (const extent of initializer.shape) integer(writer, 1, extent);
    integer(writer, 2, ELEMENT_TYPES[initializer.type]);
    text(writer, 8, initializer.name);
    field(writer, 9, LENGTH_DELIMITED).uint32(initializer.byteLength);
  });
  return [fieldHeader(5, header.byteLength + initializer.byteLength), header, initializer];
}

/** A `.onnx` file that is laid out but not written yet. */
export class ModelFile {
  readonly byteLength: number;
  readonly #chunks: readonly Chunk[];

  /** @throws RangeError for a file that is larger than protobuf allows. */
  constructor(model: Model) {
    const graph: Chunk[] = [
      encoded((writer) => {
        for (const node of model.nodes) message(writer, 1, () => writeNode(writer, node));
        text(writer, 2, model.name);
        for (const input of model.inputs) message(writer, 11, () => writeValue(writer, input));
        for (const output of model.outputs) message(writer, 12, () => writeValue(writer, output));
      }),
      ...model.initializers.flatMap(initializerChunks),
    ];
    const head = encoded((writer) => {
      integer(writer, 1, model.irVersion);
      text(writer, 2, 'RL Playground');
      message(writer, 8, () => integer(writer, 2, model.opset));
    });
    const graphLength = lengthOf(graph);
    const length = head.byteLength + graphLength;
    if (length > LARGEST_FILE - LARGEST_HEADER)
      throw new RangeError(
        `The ONNX file would take ${grouped(length)} bytes; one file can hold ${grouped(LARGEST_FILE)} at most. Save the model as a checkpoint instead, or store the weights as float16: npm run export:onnx -- --weights float16.`,
      );
    this.#chunks = [head, fieldHeader(7, graphLength), ...graph];
    this.byteLength = lengthOf(this.#chunks);
  }

  /** Fills `file` from the front, one tensor per round, and yields the bytes written so far. */
  *write(file: Uint8Array): Generator<number> {
    let offset = 0;
    for (const chunk of this.#chunks) {
      const bytes = chunk instanceof Uint8Array ? chunk : chunk.bytes();
      if (bytes.byteLength !== chunk.byteLength)
        throw new Error('A tensor gave another number of bytes than it said.');
      file.set(bytes, offset);
      offset += bytes.byteLength;
      yield offset;
    }
  }
}
