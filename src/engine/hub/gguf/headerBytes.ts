/** Reads the parts of a GGUF header one after the other, and looks at the room that is left before it takes anything. */
import { GgufError } from './ggufError.ts';

/** More bytes are needed than were read of a file that has more. */
export class HeaderTooShort extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class HeaderBytes {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #isWhole: boolean;
  #at = 0;

  /** `isWhole` says that the file ends where the bytes end. */
  constructor(bytes: Uint8Array, isWhole: boolean) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#isWhole = isWhole;
  }

  /** The number of bytes that were read so far. */
  get at(): number {
    return this.#at;
  }

  refuse(what: string): never {
    throw new GgufError(what);
  }

  /** Passes over `length` bytes. Returns where they begin. @throws HeaderTooShort, or GgufError where the file ends before. */
  #take(length: number, what: string): number {
    const begin = this.#at;
    if (length > this.#bytes.byteLength - begin) {
      if (!this.#isWhole) throw new HeaderTooShort();
      this.refuse(
        `${what} needs ${length} bytes from byte ${begin} on, and the file ends at ${this.#bytes.byteLength}. The file is truncated or damaged; download it again.`,
      );
    }
    this.#at = begin + length;
    return begin;
  }

  skip(length: number, what: string): void {
    this.#take(length, what);
  }

  uint32(what: string): number {
    return this.#view.getUint32(this.#take(4, what), true);
  }

  /** A whole number of 64 bits. @throws GgufError beyond 2^53, where JavaScript's numbers have gaps. */
  uint64(what: string): number {
    const value = this.#view.getBigUint64(this.#take(8, what), true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      this.refuse(`${what} is ${value}, which no file reaches. The file is damaged; download it again.`);
    return Number(value);
  }

  /** The number of things of at least `least` bytes each. @throws HeaderTooShort, or GgufError where the file has no room for them. */
  count(least: number, what: string): number {
    const count = this.uint64(what);
    const begin = this.#take(count * least, `${what}, ${count},`);
    this.#at = begin;
    return count;
  }

  /** Passes over a text. */
  skipText(what: string): void {
    this.#take(this.count(1, `the length of ${what}`), what);
  }

  /** @throws GgufError for bytes that are no UTF-8. */
  text(what: string): string {
    const length = this.count(1, `the length of ${what}`);
    const begin = this.#take(length, what);
    try {
      return utf8.decode(this.#bytes.subarray(begin, begin + length));
    } catch {
      return this.refuse(`${what} is no UTF-8. The file is damaged; download it again.`);
    }
  }

  /** Reads what begins at byte `at` by `read`, and goes on where it was. */
  elsewhere<T>(at: number, read: () => T): T {
    const back = this.#at;
    this.#at = at;
    try {
      return read();
    } finally {
      this.#at = back;
    }
  }

  /** One number of a type (`numberTypes.ts`). */
  number(read: (view: DataView, at: number) => number, bytes: number, what: string): number {
    return read(this.#view, this.#take(bytes, what));
  }
}
