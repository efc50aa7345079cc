/** The header of a GGUF file, versions 2 and 3: metadata by key, then a list of tensors, then their data (ggml's docs/gguf.md). */
import { bytesOfElements, unitOf, type StoredType } from '../../model/storedWeights.ts';
import { GGML_TYPES, OTHER_TYPES } from './ggmlTypes.ts';
import { GgufError } from './ggufError.ts';
import { HeaderBytes, HeaderTooShort } from './headerBytes.ts';
import { Metadata } from './metadata.ts';

export interface GgufTensor {
  readonly name: string;
  /** The extents, the outermost first. */
  readonly shape: readonly number[];
  readonly dtype: StoredType;
  /** The bytes of the file that it takes. */
  readonly begin: number;
  readonly end: number;
}

/** A file that is read at any place. */
export interface RandomAccess {
  readonly size: number;
  read(begin: number, end: number): Promise<Uint8Array>;
}

export interface GgufHeader {
  readonly metadata: Metadata;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
}

/** The letters GGUF, as a number of four bytes, and as one in the other order of bytes. */
const MAGIC = 0x46554747;
const VERSIONS: readonly number[] = [2, 3];

/** The bytes that are read at first. A header is as long as its vocabulary, some MB. */
const FIRST_BYTES = 4 * 2 ** 20;
const LARGEST_HEADER = 256 * 2 ** 20;
const MOST_EXTENTS = 4;
const LEAST_TENSOR = 8 + 4 + 8 + 4 + 8;
const LEAST_VALUE = 8 + 4 + 1;
const DEFAULT_ALIGNMENT = 32;
const LARGEST_ALIGNMENT = 2 ** 20;

/** @throws GgufError for everything that breaks the format. */
export async function readGgufHeader(file: RandomAccess): Promise<GgufHeader> {
  for (let length = FIRST_BYTES; ; length *= 4) {
    const end = Math.min(length, file.size);
    // The bytes are copied: lists are read of them later, and others may write where they lie.
    const bytes = new Uint8Array(await file.read(0, end));
    try {
      return parseHeader(new HeaderBytes(bytes, end === file.size), file.size);
    } catch (error) {
      if (!(error instanceof HeaderTooShort)) throw error;
      if (length >= LARGEST_HEADER)
        throw new GgufError(
          `The header has more than ${LARGEST_HEADER} bytes, and no vocabulary takes so many. The file is damaged; download it again.`,
        );
    }
  }
}

function checkBeginning(bytes: HeaderBytes): void {
  const magic = bytes.uint32('the beginning');
  if (magic !== MAGIC) bytes.refuse('the file does not begin with "GGUF". Choose a GGUF file.');
  const version = bytes.uint32('the version');
  if (VERSIONS.includes(version)) return;
  // In a file for machines of the other order, the lower half of the number is empty.
  if (version !== 0 && (version & 0xffff) === 0)
    bytes.refuse(
      'the numbers of this GGUF file are big-endian; supported are little-endian ones. Convert it with gguf-py: gguf-convert-endian FILE little.',
    );
  bytes.refuse(
    `this is version ${version} of GGUF; supported are ${VERSIONS.join(' and ')}. Convert the model again with llama.cpp's convert_hf_to_gguf.py.`,
  );
}

function parseHeader(bytes: HeaderBytes, fileSize: number): GgufHeader {
  checkBeginning(bytes);
  const tensorCount = bytes.count(LEAST_TENSOR, 'the number of tensors');
  const metadata = new Metadata(bytes, bytes.count(LEAST_VALUE, 'the number of metadata values'));
  const tensors = new Map<string, GgufTensor>();
  for (let i = 0; i < tensorCount; i++) {
    const tensor = readTensor(bytes, `tensor ${i + 1} of ${tensorCount}`);
    if (tensors.has(tensor.name))
      bytes.refuse(`the tensor "${tensor.name}" is there twice. The file is damaged; download it again.`);
    tensors.set(tensor.name, tensor);
  }
  const alignment = alignmentOf(metadata, bytes);
  const dataStart = alignment * Math.ceil(bytes.at / alignment);
  return { metadata, tensors: placed(tensors, { alignment, dataStart, fileSize }, bytes) };
}

function alignmentOf(metadata: Metadata, bytes: HeaderBytes): number {
  const alignment = metadata.number('general.alignment') ?? DEFAULT_ALIGNMENT;
  if (Number.isInteger(Math.log2(alignment)) && alignment >= 1 && alignment <= LARGEST_ALIGNMENT)
    return alignment;
  return bytes.refuse(
    `general.alignment is ${alignment}; a power of two up to ${LARGEST_ALIGNMENT} is needed. The file is damaged; download it again.`,
  );
}

/** A tensor whose bytes are counted from the beginning of the data. */
function readTensor(bytes: HeaderBytes, what: string): GgufTensor {
  const name = bytes.text(`the name of ${what}`);
  if (name.length > 200)
    bytes.refuse(`the name of ${what} has ${name.length} characters. The file is damaged.`);
  const of = `the tensor "${name}"`;
  const count = bytes.uint32(`the number of extents of ${of}`);
  if (count < 1 || count > MOST_EXTENTS)
    bytes.refuse(`${of} has ${count} extents; 1 to ${MOST_EXTENTS} are possible. The file is damaged.`);
  const extents = Array.from({ length: count }, () => bytes.uint64(`an extent of ${of}`));
  const dtype = typeOf(bytes.uint32(`the type of ${of}`), of, bytes);
  const begin = bytes.uint64(`the place of ${of}`);
  const size = extents.reduce((product, extent) => product * extent, 1);
  const { elements } = unitOf(dtype);
  const [columns = 0] = extents;
  if (size < 1 || columns % elements !== 0)
    bytes.refuse(
      `${of} of extents ${extents.join(' × ')} is stored as ${dtype}, whose blocks have ${elements} numbers; rows of whole blocks are needed. The file is damaged.`,
    );
  const end = begin + bytesOfElements(dtype, size);
  if (!Number.isSafeInteger(end))
    bytes.refuse(`${of} of extents ${extents.join(' × ')} is larger than any file. The file is damaged.`);
  return { name, shape: extents.reverse(), dtype, begin, end };
}

const READ_TYPES = Object.entries(GGML_TYPES) as [StoredType, number][];

function typeOf(number: number, of: string, bytes: HeaderBytes): StoredType {
  const found = READ_TYPES.find(([, each]) => each === number);
  if (found) return found[0];
  const name = OTHER_TYPES[number];
  return bytes.refuse(
    `${of} is stored as ${name ?? `type ${number}, which is none of ggml's`}; supported are ${READ_TYPES.map(([each]) => each).join(', ')}. Choose another quantization of the model, such as Q4_K_M or Q8_0.`,
  );
}

interface Place {
  readonly alignment: number;
  readonly dataStart: number;
  readonly fileSize: number;
}

/** The tensors at their places in the file, none of which meets another. */
function placed(
  tensors: ReadonlyMap<string, GgufTensor>,
  { alignment, dataStart, fileSize }: Place,
  bytes: HeaderBytes,
): ReadonlyMap<string, GgufTensor> {
  let covered = 0;
  let before = '';
  for (const { name, begin, end } of [...tensors.values()].sort((a, b) => a.begin - b.begin)) {
    if (begin % alignment !== 0)
      bytes.refuse(
        `the tensor "${name}" begins at byte ${begin} of the data, no multiple of ${alignment}. The file is damaged; download it again.`,
      );
    if (begin < covered)
      bytes.refuse(
        `the tensor "${name}" begins at byte ${begin} of the data, and "${before}" ends at ${covered}: they overlap. The file is damaged; download it again.`,
      );
    if (dataStart + end > fileSize)
      bytes.refuse(
        `the tensor "${name}" ends at byte ${dataStart + end}, and the file has ${fileSize}. The file is truncated; download it again.`,
      );
    [covered, before] = [end, name];
  }
  return new Map(
    [...tensors].map(([name, tensor]) => [
      name,
      { ...tensor, begin: dataStart + tensor.begin, end: dataStart + tensor.end },
    ]),
  );
}
