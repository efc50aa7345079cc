/** Cyclic redundancy checks of 32 bits, reflected. */
function tableOf(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value;
  });
}

function sumOf(table: Uint32Array, bytes: Uint8Array, before: number): number {
  let sum = ~before;
  for (let i = 0; i < bytes.length; i++)
    sum = (sum >>> 8) ^ (table[(sum ^ (bytes[i] as number)) & 0xff] as number);
  return ~sum >>> 0;
}

const ZIP = tableOf(0xedb88320);
// The page, which has no use for it, is built without it.
const CASTAGNOLI = /* @__PURE__ */ tableOf(0x82f63b78);

/** CRC-32 of zips and gzip: the sum of `bytes` that follow bytes with the sum `before`. */
export const crc32 = (bytes: Uint8Array, before = 0): number => sumOf(ZIP, bytes, before);

/** CRC-32C (Castagnoli, RFC 3720). */
export const crc32c = (bytes: Uint8Array): number => sumOf(CASTAGNOLI, bytes, 0);
