/**
 * The numbers that GGUF's blocks stand for, as ggml's reference computes them: code · scale + offset, rounded once to f32. It is written
 * to be compared with, by the kernels and by the quantizers; models are never widened by it as a whole.
 */
import { BLOCK_SHAPES, UNEVEN_CODES, type BlockFormat } from './blockFormats.ts';
import { halfOf } from '../shared/halfFloats.ts';

/** The parts of one block. */
interface BlockParts {
  /** The code of each element. */
  readonly codes: Int8Array;
  /** The scale and the offset of each group. Both are exact in float64. */
  readonly scales: Float64Array;
  readonly offsets: Float64Array;
}

/** @throws Error if the bytes are no whole number of blocks. */
export function dequantizeBlocks(format: BlockFormat, bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const { elements, bytes: size, group } = BLOCK_SHAPES[format];
  if (bytes.length % size !== 0)
    throw new Error(`${bytes.length} bytes of ${format}: a block takes ${size} bytes, and blocks are whole.`);
  const count = bytes.length / size;
  const values = new Float32Array(count * elements);
  const groups = elements / group;
  const parts: BlockParts = {
    codes: new Int8Array(elements),
    scales: new Float64Array(groups),
    // Adding −0 changes nothing, not even the sign of a zero.
    offsets: new Float64Array(groups).fill(-0),
  };
  const read = READERS[format];
  for (let block = 0; block < count; block++) {
    read(new BlockBytes(bytes, block * size), parts);
    for (let i = 0; i < elements; i++) {
      const which = Math.floor(i / group);
      const code = parts.codes[i] as number;
      values[block * elements + i] =
        code * (parts.scales[which] as number) + (parts.offsets[which] as number);
    }
  }
  return values;
}

/** The bytes of one block. */
class BlockBytes {
  readonly #view: DataView;

  constructor(bytes: Uint8Array, first: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset + first);
  }

  byte(at: number): number {
    return this.#view.getUint8(at);
  }

  signed(at: number): number {
    return this.#view.getInt8(at);
  }

  short(at: number): number {
    return this.#view.getUint16(at, true);
  }

  word(at: number): number {
    return this.#view.getUint32(at, true);
  }

  half(at: number): number {
    return halfOf(this.short(at));
  }
}

type Reader = (block: BlockBytes, parts: BlockParts) => void;

/** A block of 32 whose element j lies in the lower half of byte j, and element j + 16 in its upper half. */
function halfBytes(
  block: BlockBytes,
  at: number,
  codes: Int8Array,
  code: (bits: number, i: number) => number,
): void {
  for (let j = 0; j < 16; j++) {
    const byte = block.byte(at + j);
    codes[j] = code(byte & 15, j);
    codes[j + 16] = code(byte >> 4, j + 16);
  }
}

/** Eight pairs of a scale and a minimum, 6 bits each, in 12 bytes (Q4_K and Q5_K). */
function sixBitPairs(block: BlockBytes, { scales, offsets }: BlockParts): void {
  const scale = block.half(0);
  const least = block.half(2);
  for (let j = 0; j < 8; j++) {
    const low = block.byte(4 + j);
    const high = block.byte(8 + j);
    const upper = block.byte(j < 4 ? 4 + j : j);
    const [factor, minimum] =
      j < 4 ? [low & 63, high & 63] : [(high & 15) | ((upper >> 6) << 4), (high >> 4) | ((low >> 6) << 4)];
    scales[j] = scale * factor;
    offsets[j] = -least * minimum;
  }
}

/** The two bits of element i of a block of 256 (Q2_K and Q3_K): 32 bytes hold elements l, l + 32, l + 64 and l + 96. */
const twoBits = (block: BlockBytes, at: number, i: number): number =>
  (block.byte(at + 32 * (i >> 7) + (i & 31)) >> (2 * ((i >> 5) & 3))) & 3;

/** Scale j of Q3_K: four lower bits in the first eight bytes, two upper ones in the last four. */
function sixBitScale(block: BlockBytes, at: number, j: number): number {
  const low = (block.byte(at + (j & 7)) >> (j < 8 ? 0 : 4)) & 15;
  const high = (block.byte(at + 8 + (j & 3)) >> (2 * (j >> 2))) & 3;
  return low | (high << 4);
}

const READERS: Readonly<Record<BlockFormat, Reader>> = {
  q4_0(block, { codes, scales }) {
    scales[0] = block.half(0);
    halfBytes(block, 2, codes, (bits) => bits - 8);
  },
  q4_1(block, { codes, scales, offsets }) {
    scales[0] = block.half(0);
    offsets[0] = block.half(2);
    halfBytes(block, 4, codes, (bits) => bits);
  },
  q5_0(block, { codes, scales }) {
    scales[0] = block.half(0);
    const fifth = block.word(2);
    halfBytes(block, 6, codes, (bits, i) => (bits | (((fifth >>> i) & 1) << 4)) - 16);
  },
  q5_1(block, { codes, scales, offsets }) {
    scales[0] = block.half(0);
    offsets[0] = block.half(2);
    const fifth = block.word(4);
    halfBytes(block, 8, codes, (bits, i) => bits | (((fifth >>> i) & 1) << 4));
  },
  q8_0(block, { codes, scales }) {
    scales[0] = block.half(0);
    for (let i = 0; i < 32; i++) codes[i] = block.signed(2 + i);
  },
  q2_k(block, { codes, scales, offsets }) {
    const scale = block.half(80);
    const least = block.half(82);
    for (let j = 0; j < 16; j++) {
      scales[j] = scale * (block.byte(j) & 15);
      offsets[j] = -least * (block.byte(j) >> 4);
    }
    for (let i = 0; i < 256; i++) codes[i] = twoBits(block, 16, i);
  },
  q3_k(block, { codes, scales }) {
    const scale = block.half(108);
    for (let j = 0; j < 16; j++) scales[j] = scale * (sixBitScale(block, 96, j) - 32);
    for (let i = 0; i < 256; i++) {
      const third = (block.byte(i & 31) >> (i >> 5)) & 1;
      codes[i] = twoBits(block, 32, i) - (third ? 0 : 4);
    }
  },
  q4_k(block, parts) {
    sixBitPairs(block, parts);
    for (let i = 0; i < 256; i++) {
      const byte = block.byte(16 + 32 * (i >> 6) + (i & 31));
      parts.codes[i] = i & 32 ? byte >> 4 : byte & 15;
    }
  },
  q5_k(block, parts) {
    sixBitPairs(block, parts);
    for (let i = 0; i < 256; i++) {
      const byte = block.byte(48 + 32 * (i >> 6) + (i & 31));
      const fifth = (block.byte(16 + (i & 31)) >> (i >> 5)) & 1;
      parts.codes[i] = (i & 32 ? byte >> 4 : byte & 15) | (fifth << 4);
    }
  },
  q6_k(block, { codes, scales }) {
    const scale = block.half(208);
    for (let j = 0; j < 16; j++) scales[j] = scale * block.signed(192 + j);
    for (let i = 0; i < 256; i++) {
      const half = i >> 7;
      const low = block.byte(64 * half + (i & 63)) >> (i & 64 ? 4 : 0);
      const high = block.byte(128 + 32 * half + (i & 31)) >> (2 * ((i >> 5) & 3));
      codes[i] = ((low & 15) | ((high & 3) << 4)) - 32;
    }
  },
  iq4_nl(block, { codes, scales }) {
    scales[0] = block.half(0);
    halfBytes(block, 2, codes, (bits) => UNEVEN_CODES[bits] ?? 0);
  },
  iq4_xs(block, { codes, scales }) {
    const scale = block.half(0);
    const high = block.short(2);
    for (let j = 0; j < 8; j++) {
      const low = (block.byte(4 + (j >> 1)) >> (4 * (j & 1))) & 15;
      scales[j] = scale * ((low | (((high >> (2 * j)) & 3) << 4)) - 32);
      for (let l = 0; l < 16; l++) {
        const byte = block.byte(8 + 16 * j + l);
        codes[32 * j + l] = UNEVEN_CODES[byte & 15] ?? 0;
        codes[32 * j + 16 + l] = UNEVEN_CODES[byte >> 4] ?? 0;
      }
    }
  },
};
