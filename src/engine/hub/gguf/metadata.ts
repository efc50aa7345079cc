/** The values of a GGUF header by their keys. Lists are read when they are asked for, so those that nothing needs take no memory. */
import type { HeaderBytes } from './headerBytes.ts';

interface NumberKind {
  readonly bytes: number;
  readonly read: (view: DataView, at: number) => number;
}

/** Numbers of 64 bits are rounded to float64. */
const NUMBERS: ReadonlyMap<number, NumberKind> = new Map([
  [0, { bytes: 1, read: (view, at) => view.getUint8(at) }],
  [1, { bytes: 1, read: (view, at) => view.getInt8(at) }],
  [2, { bytes: 2, read: (view, at) => view.getUint16(at, true) }],
  [3, { bytes: 2, read: (view, at) => view.getInt16(at, true) }],
  [4, { bytes: 4, read: (view, at) => view.getUint32(at, true) }],
  [5, { bytes: 4, read: (view, at) => view.getInt32(at, true) }],
  [6, { bytes: 4, read: (view, at) => view.getFloat32(at, true) }],
  [10, { bytes: 8, read: (view, at) => Number(view.getBigUint64(at, true)) }],
  [11, { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) }],
  [12, { bytes: 8, read: (view, at) => view.getFloat64(at, true) }],
] satisfies [number, NumberKind][]);
const FLOAT32 = 6;
const BOOL = 7;
const TEXT = 8;
const ARRAY = 9;
const TYPES = 13;

/** Lists in lists: the format allows them, and no model has any. */
const DEEPEST = 4;
/** The fewest bytes of a list: its type and its length. */
const LEAST_ARRAY = 12;

/** A list that was passed over. */
interface List {
  readonly type: number;
  readonly count: number;
  /** The byte at which its first item begins. */
  readonly begin: number;
}

type Value = number | boolean | string | List;

/**
 * The shortest decimal number that rounds to this one of 32 bits: converters wrote 1e-5, and not 0.000009999999747378752. Larger numbers
 * than 32 bits can hold stay as they are.
 */
export function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}

export class Metadata {
  readonly #values = new Map<string, Value>();
  readonly #bytes: HeaderBytes;

  /** Reads `count` values from where the reader is. @throws GgufError naming a key that is there twice, or of an unknown type. */
  constructor(bytes: HeaderBytes, count: number) {
    this.#bytes = bytes;
    for (let i = 0; i < count; i++) {
      const key = bytes.text(`key ${i + 1} of ${count}`);
      if (this.#values.has(key))
        bytes.refuse(`the key "${shown(key)}" is there twice. The file is damaged; download it again.`);
      this.#values.set(key, this.#read(bytes.uint32(`the type of ${shown(key)}`), key));
    }
  }

  #read(type: number, key: string): Value {
    const bytes = this.#bytes;
    const what = shown(key);
    const kind = NUMBERS.get(type);
    if (kind !== undefined) {
      const value = bytes.number(kind.read, kind.bytes, what);
      return type === FLOAT32 ? shortest(value) : value;
    }
    if (type === BOOL) return bytes.number((view, at) => view.getUint8(at), 1, what) !== 0;
    if (type === TEXT) return bytes.text(what);
    if (type !== ARRAY) return this.#refuseType(type, key);
    return this.#passList(key, 1);
  }

  #passList(key: string, depth: number): List {
    const bytes = this.#bytes;
    const what = shown(key);
    if (depth > DEEPEST)
      bytes.refuse(
        `${what} has lists in lists, ${depth} deep, and ${DEEPEST} are read; no model has any. The file is damaged; download it again.`,
      );
    const type = bytes.uint32(`the type of the items of ${what}`);
    const kind = NUMBERS.get(type);
    const least = kind?.bytes ?? (type === BOOL ? 1 : type === TEXT ? 8 : LEAST_ARRAY);
    const count = bytes.count(least, `the number of items of ${what}`);
    const begin = bytes.at;
    if (kind !== undefined || type === BOOL) bytes.skip(count * least, what);
    else if (type === TEXT) for (let i = 0; i < count; i++) bytes.skipText(`item ${i} of ${what}`);
    else if (type === ARRAY) for (let i = 0; i < count; i++) this.#passList(key, depth + 1);
    else this.#refuseType(type, key);
    return { type, count, begin };
  }

  #refuseType(type: number, key: string): never {
    return this.#bytes.refuse(
      `${shown(key)} is of type ${type}; the types of GGUF go from 0 to ${TYPES - 1}. The file is damaged, or newer than this program.`,
    );
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  get keys(): Iterable<string> {
    return this.#values.keys();
  }

  /** @throws GgufError where the value is of another kind than `need` says. */
  #mismatch(key: string, need: string): never {
    const value = this.#values.get(key);
    const found =
      value === undefined ? 'missing' : typeof value === 'object' ? 'a list' : shown(JSON.stringify(value));
    return this.#bytes.refuse(
      `${key} is ${found}; ${need} is needed. Use a file that llama.cpp's convert_hf_to_gguf.py wrote.`,
    );
  }

  text(key: string): string | undefined {
    const value = this.#values.get(key);
    if (value === undefined || typeof value === 'string') return value;
    return this.#mismatch(key, 'a text');
  }

  flag(key: string): boolean | undefined {
    const value = this.#values.get(key);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.#mismatch(key, 'true or false');
  }

  number(key: string): number | undefined {
    const value = this.#values.get(key);
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
    return this.#mismatch(key, 'a number');
  }

  /** A number that must be there. @throws GgufError */
  required(key: string): number {
    return this.number(key) ?? this.#mismatch(key, 'a number');
  }

  /** A number that a list may give for each layer. @throws GgufError where layers differ. */
  ofAllLayers(key: string): number | undefined {
    const value = this.#values.get(key);
    if (typeof value !== 'object') return this.number(key);
    const [first, ...others] = new Set(this.numbers(key));
    if (first === undefined || others.length > 0)
      this.#bytes.refuse(
        `${key} differs from layer to layer; supported are layers of one width. Choose a model whose layers are alike.`,
      );
    return first;
  }

  /** A list of numbers. @throws GgufError where it is none. */
  numbers(key: string): Float64Array | undefined {
    const list = this.#values.get(key);
    if (list === undefined) return undefined;
    const kind = typeof list === 'object' ? NUMBERS.get(list.type) : undefined;
    if (typeof list !== 'object' || kind === undefined) return this.#mismatch(key, 'a list of numbers');
    return this.#bytes.elsewhere(list.begin, () =>
      Float64Array.from({ length: list.count }, () => this.#bytes.number(kind.read, kind.bytes, key)),
    );
  }

  /** A list of texts. @throws GgufError where it is none, or one of them is no UTF-8. */
  texts(key: string): string[] | undefined {
    const list = this.#values.get(key);
    if (list === undefined) return undefined;
    if (typeof list !== 'object' || list.type !== TEXT) return this.#mismatch(key, 'a list of texts');
    return this.#bytes.elsewhere(list.begin, () =>
      Array.from({ length: list.count }, (_, i) => this.#bytes.text(`item ${i} of ${key}`)),
    );
  }
}

/** A key as a message shows it. */
function shown(key: string): string {
  return key.length > 80 ? `${key.slice(0, 80)}…` : key;
}
