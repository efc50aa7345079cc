/** Reads Thrift's compact protocol, which parquet uses, with bounds: a length counts once it is known to fit. */

/** A number, a flag, bytes, or a list or struct of these. */
export type ThriftValue = number | boolean | Uint8Array | readonly ThriftValue[] | ThriftStruct;
/** Fields by their ids. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

const DEEPEST = 20;

export class ThriftReader {
  readonly #view: DataView;
  /** The place of the next byte. */
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get left(): number {
    return this.#view.byteLength - this.at;
  }

  #byte(): number {
    if (this.left < 1) throw new Error('a header ends before its last field');
    return this.#view.getUint8(this.at++);
  }

  /** An unsigned number; one beyond 2⁵³ loses its last bits. */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 128) return value;
    }
    throw new Error('a number has more than ten bytes');
  }

  #zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #counted(count: number): number {
    if (count <= this.left) return count;
    throw new Error(`${count} values are announced, and ${this.left} bytes are left`);
  }

  struct(depth = 0): ThriftStruct {
    if (depth > DEEPEST) throw new Error(`headers lie more than ${DEEPEST} deep in each other`);
    const fields = new Map<number, ThriftValue>();
    for (let id = 0; ;) {
      const byte = this.#byte();
      if ((byte & 15) === 0) return fields;
      id = byte >> 4 === 0 ? this.#zigzag() : id + (byte >> 4);
      fields.set(id, this.#value(byte & 15, depth));
    }
  }

  #value(type: number, depth: number): ThriftValue {
    switch (type) {
      case 1:
      case 2:
        return type === 1;
      case 3:
        return (this.#byte() << 24) >> 24;
      case 4:
      case 5:
      case 6:
        return this.#zigzag();
      case 7: {
        this.#counted(8);
        this.at += 8;
        return this.#view.getFloat64(this.at - 8, true);
      }
      case 8: {
        const length = this.#counted(this.varint());
        this.at += length;
        return new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.at - length, length);
      }
      case 9: {
        const byte = this.#byte();
        const count = this.#counted(byte >> 4 === 15 ? this.varint() : byte >> 4);
        const boolean = (byte & 15) === 1 || (byte & 15) === 2;
        return Array.from({ length: count }, () =>
          boolean ? this.#byte() === 1 : this.#value(byte & 15, depth + 1),
        );
      }
      case 12:
        return this.struct(depth + 1);
      default:
        throw new Error(`a field of type ${type} is of no use in parquet`);
    }
  }
}
