/** CRC-32 as zips and gzip have it (polynomial 0xedb88320, reflected). */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The sum of bytes that follow those of which `before` is the sum. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let sum = ~before;
  for (let i = 0; i < bytes.length; i++)
    sum = (sum >>> 8) ^ (TABLE[(sum ^ (bytes[i] as number)) & 0xff] as number);
  return ~sum >>> 0;
}
