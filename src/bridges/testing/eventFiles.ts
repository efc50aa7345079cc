/**
 * Reads TensorBoard's event files, for tests: written from the formats' descriptions apart from our writer, with CRC-32C bit by bit and a
 * reader of protobuf's wire format that knows no message.
 */

/** CRC-32C of RFC 3720, by long division. */
export function slowCrc32c(bytes: Uint8Array): number {
  let sum = 0xffffffffn;
  for (const byte of bytes) {
    sum ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) sum = sum % 2n === 1n ? (sum >> 1n) ^ 0x82f63b78n : sum >> 1n;
  }
  return Number(sum ^ 0xffffffffn);
}

/** A field's number and what it holds: a varint or fixed integer, or bytes. */
export type WireField = readonly [field: number, value: bigint | Uint8Array];

export function wireFields(bytes: Uint8Array): WireField[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const taken = (length: number): Uint8Array => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const key = Number(varint());
    const field = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        fields.push([field, varint()]);
        break;
      case 1:
        fields.push([field, taken(8)]);
        break;
      case 2:
        fields.push([field, taken(Number(varint()))]);
        break;
      case 5:
        fields.push([field, taken(4)]);
        break;
      default:
        throw new Error(`wire type ${key % 8} at ${at}`);
    }
  }
  return fields;
}

const bytesOf = (value: bigint | Uint8Array): Uint8Array => {
  if (typeof value === 'bigint') throw new Error('an integer where bytes are needed');
  return value;
};
export const textOf = (value: bigint | Uint8Array): string => new TextDecoder().decode(bytesOf(value));
export function doubleOf(value: bigint | Uint8Array): number {
  const bytes = bytesOf(value);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
}
function floatOf(value: bigint | Uint8Array): number {
  const bytes = bytesOf(value);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true);
}

export const inside = (fields: readonly WireField[], field: number): (bigint | Uint8Array)[] =>
  fields.filter(([number]) => number === field).map(([, value]) => value);
export const messages = (fields: readonly WireField[], field: number): WireField[][] =>
  inside(fields, field).map((value) => wireFields(bytesOf(value)));

export interface ReadEvent {
  readonly seconds: number;
  readonly step: number;
  readonly version: string | null;
  /** The summary's values, as fields. */
  readonly values: readonly WireField[][];
}

/** The events of a file. @throws Error if a record is incomplete or a sum is wrong */
export function readEventFile(bytes: Uint8Array): ReadEvent[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const events: ReadEvent[] = [];
  const check = (begin: number, end: number): void => {
    const sum = slowCrc32c(bytes.subarray(begin, end));
    const masked = (((sum >>> 15) | (sum << 17)) + 0xa282ead8) % 2 ** 32;
    if (view.getUint32(end, true) !== (masked + 2 ** 32) % 2 ** 32) throw new Error(`wrong sum at ${end}`);
  };
  for (let at = 0; at < bytes.length;) {
    const length = Number(view.getBigUint64(at, true));
    check(at, at + 8);
    check(at + 12, at + 12 + length);
    const fields = wireFields(bytes.subarray(at + 12, at + 12 + length));
    const [version] = inside(fields, 3);
    const [step = 0n] = inside(fields, 2);
    events.push({
      seconds: doubleOf(inside(fields, 1)[0] ?? 0n),
      step: Number(BigInt.asIntN(64, step as bigint)),
      version: version === undefined ? null : textOf(version),
      values: messages(fields, 5).flatMap((summary) => messages(summary, 1)),
    });
    at += length + 16;
  }
  return events;
}

/** The scalars of a file as `name@step`, in order, each with its 32-bit value. */
export function scalarsOf(bytes: Uint8Array): [string, number][] {
  return readEventFile(bytes).flatMap(({ step, values }) =>
    values.flatMap((value): [string, number][] => {
      const [scalar] = inside(value, 2);
      return scalar === undefined ? [] : [[`${textOf(inside(value, 1)[0] ?? 0n)}@${step}`, floatOf(scalar)]];
    }),
  );
}
