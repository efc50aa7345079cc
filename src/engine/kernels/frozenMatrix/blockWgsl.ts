/**
 * WGSL that reads GGUF's blocks as they lie in the file. In every format the codes of four neighbouring elements lie in four neighbouring
 * bytes, which begin at a half-word, because a block has an even number of bytes. Products of codes and scales are exact in f32, so a
 * number has the bits of `blockFormats/dequantize.ts`, which has the layouts in plain words.
 *
 * The code sees `h`, the half-word at which the block begins, and `e`, which four elements of the block are meant. Codes are the signed
 * bytes of a word, the first element's lowest, as products of whole numbers take them.
 */
import { BLOCK_SHAPES, UNEVEN_CODES, type BlockFormat } from '../blockFormats/blockFormats.ts';

/** WGSL expressions of the codes of four elements (u32), and of their scale and offset (f32). */
interface BlockCode {
  readonly codes: string;
  readonly scale: string;
  readonly offset?: string;
}

/** The same number in each byte of a word. */
const inBytes = (value: number): string => `${(value * 0x01010101) >>> 0}u`;

/** Parts of the four bytes from half-word `at` of the block on: `mask` of them, `shift` bits further down. */
const parts = (at: string, shift: string, mask: number): string =>
  `((wordAt(h + ${at}) >> (${shift})) & ${inBytes(mask)})`;

const half = (at: number): string => `halfAt(h + ${at}u)`;
const byte = (at: string): string => `byteAt(2u * h + ${at})`;

/** A block of 32: element i and element i + 16 share byte i. `at` is the first half-word. */
const halfBytes = (at: number): string => parts(`${at}u + 2u * (e & 3u)`, '4u * (e >> 2u)', 15);

/** A bit of each of the 32 elements, in the two half-words from `at` on: four neighbouring bits go to the fifth bits of four bytes. */
const fifthBit = (at: number): string =>
  `(((((wordAt(h + ${at}u) >> (4u * e)) & 15u) * 0x00204081u) & ${inBytes(1)}) << 4u)`;

/** A block of 256: 32 bytes hold elements l and l + 32 of each 64. */
const longHalfBytes = (at: number): string =>
  parts(`${at}u + 16u * (e >> 4u) + 2u * (e & 7u)`, '4u * ((e >> 3u) & 1u)', 15);

/** 32 bytes hold elements l, l + 32, l + 64 and l + 96 of each 128. */
const twoBits = (at: number): string =>
  parts(`${at}u + 16u * (e >> 5u) + 2u * (e & 7u)`, '2u * ((e >> 3u) & 3u)', 3);

/** 32 bytes hold a bit of all elements. */
const oneBit = (at: number): string => parts(`${at}u + 2u * (e & 7u)`, '(e >> 3u)', 1);

const shifted = (codes: string, by: number): string => `(${codes} << ${by}u)`;
/** The codes less a number, byte by byte: the highest bit of each byte keeps it from borrowing of the next. */
const signed = (codes: string, minus = 0): string =>
  minus === 0 ? codes : `((((${codes}) | ${inBytes(128)}) - ${inBytes(minus)}) ^ ${inBytes(128)})`;

const sixBitPair = {
  scale: `${half(0)} * f32(sixBitFactor(h, e >> 3u))`,
  offset: `-(${half(1)} * f32(sixBitMinimum(h, e >> 3u)))`,
};

const CODES: Readonly<Record<BlockFormat, BlockCode>> = {
  q4_0: { codes: signed(halfBytes(1), 8), scale: half(0) },
  q4_1: { codes: signed(halfBytes(2)), scale: half(0), offset: half(1) },
  q5_0: { codes: signed(`${halfBytes(3)} | ${fifthBit(1)}`, 16), scale: half(0) },
  q5_1: { codes: signed(`${halfBytes(4)} | ${fifthBit(2)}`), scale: half(0), offset: half(1) },
  q8_0: { codes: 'wordAt(h + 1u + 2u * e)', scale: half(0) },
  q2_k: {
    codes: signed(twoBits(8)),
    scale: `${half(40)} * f32(${byte('(e >> 2u)')} & 15u)`,
    offset: `-(${half(41)} * f32(${byte('(e >> 2u)')} >> 4u))`,
  },
  q3_k: {
    codes: signed(`${twoBits(16)} | ${shifted(oneBit(0), 2)}`, 4),
    scale: `${half(54)} * f32(sixBitScale(h, e >> 2u))`,
  },
  q4_k: { codes: signed(longHalfBytes(8)), ...sixBitPair },
  q5_k: { codes: signed(`${longHalfBytes(24)} | ${shifted(oneBit(8), 4)}`), ...sixBitPair },
  q6_k: {
    codes: signed(
      `${parts('32u * (e >> 5u) + 2u * (e & 15u)', '4u * ((e >> 4u) & 1u)', 15)} | ${shifted(twoBits(64), 4)}`,
      32,
    ),
    scale: `${half(104)} * f32(i32(${byte('192u + (e >> 2u)')} << 24u) >> 24u)`,
  },
  iq4_nl: { codes: `uneven(${halfBytes(1)})`, scale: half(0) },
  iq4_xs: {
    codes: `uneven(${parts('4u + 8u * (e >> 3u) + 2u * (e & 3u)', '4u * ((e >> 2u) & 1u)', 15)})`,
    scale: `${half(0)} * f32(unevenScale(h, e >> 3u))`,
  },
};

/** The scales of groups of a block of 256, in whole numbers. */
const FACTORS: Readonly<Partial<Record<BlockFormat, string>>> = {
  q3_k: /* wgsl */ `
fn sixBitScale(h: u32, j: u32) -> i32 {
  let low = (${byte('96u + (j & 7u)')} >> (4u * (j >> 3u))) & 15u;
  let high = (${byte('104u + (j & 3u)')} >> (2u * (j >> 2u))) & 3u;
  return i32(low | (high << 4u)) - 32;
}`,
  iq4_xs: /* wgsl */ `
fn unevenScale(h: u32, g: u32) -> i32 {
  let low = (${byte('4u + (g >> 1u)')} >> (4u * (g & 1u))) & 15u;
  let high = (${byte('2u + (g >> 2u)')} >> (2u * (g & 3u))) & 3u;
  return i32(low | (high << 4u)) - 32;
}`,
};

const SIX_BIT_PAIRS = /* wgsl */ `
fn sixBitFactor(h: u32, g: u32) -> u32 {
  let own = ${byte('4u + g')};
  let above = ${byte('8u + g')};
  let before = ${byte('g')};
  return select((above & 15u) | ((before >> 6u) << 4u), own & 63u, g < 4u);
}
fn sixBitMinimum(h: u32, g: u32) -> u32 {
  let own = ${byte('4u + g')};
  let above = ${byte('8u + g')};
  return select((above >> 4u) | ((own >> 6u) << 4u), above & 63u, g < 4u);
}`;

/** The sixteen uneven codes as bytes of four words. */
const unevenWord = (i: number): string => {
  const bytes = UNEVEN_CODES.slice(4 * i, 4 * i + 4).map((code, at) => ((code & 255) << (8 * at)) >>> 0);
  return `vec4u(${bytes.reduce((word, part) => word + part, 0)}u)`;
};

const UNEVEN = /* wgsl */ `
fn uneven(codes: u32) -> u32 {
  let i = (vec4u(codes) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(15u);
  let second = (i & vec4u(4u)) != vec4u();
  let low = select(${unevenWord(0)}, ${unevenWord(1)}, second);
  let high = select(${unevenWord(2)}, ${unevenWord(3)}, second);
  let words = select(low, high, (i & vec4u(8u)) != vec4u());
  let bytes = ((words >> (8u * (i & vec4u(3u)))) & vec4u(255u)) << vec4u(0u, 8u, 16u, 24u);
  return bytes.x | bytes.y | bytes.z | bytes.w;
}`;

/** WGSL functions that read parts of the blocks in `name`, an array of u32. */
function readers(name: string, format: BlockFormat): string {
  const isWhole = BLOCK_SHAPES[format].bytes % 4 === 0;
  return /* wgsl */ `
fn halfAt(at: u32) -> f32 { return unpack2x16float(${name}[at >> 1u] >> (16u * (at & 1u))).x; }
fn byteAt(at: u32) -> u32 { return (${name}[at >> 2u] >> (8u * (at & 3u))) & 255u; }
fn wordAt(at: u32) -> u32 {
  let low = ${name}[at >> 1u];
  ${isWhole ? 'return low;' : `return select(low, (low >> 16u) | (${name}[(at + 1u) >> 1u] << 16u), (at & 1u) != 0u);`}
}${FACTORS[format] ?? ''}${CODES[format].offset === sixBitPair.offset ? SIX_BIT_PAIRS : ''}${format.startsWith('iq4') ? UNEVEN : ''}`;
}

/** WGSL of `h` and `e` for elements 4·at … 4·at + 3 of the matrix. */
function placeOf(format: BlockFormat): string {
  const { elements, bytes } = BLOCK_SHAPES[format];
  return `let h = at / ${elements / 4}u * ${bytes / 2}u;
  let e = at % ${elements / 4}u;`;
}

/** `fn load(at: u32) -> vec4f`: elements 4·at … 4·at + 3 of a matrix whose words are `name`, an array of u32. */
export function blockLoad(load: string, name: string, format: BlockFormat): string {
  const { codes, scale, offset } = CODES[format];
  return /* wgsl */ `${readers(name, format)}
fn signedBytes(word: u32) -> vec4i {
  return (vec4i(bitcast<i32>(word)) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u);
}
fn ${load}(at: u32) -> vec4f {
  ${placeOf(format)}
  return vec4f(signedBytes(${codes})) * (${scale})${offset === undefined ? '' : ` + (${offset})`};
}`;
}

/** True if elements of the format stand for code · scale + offset, and not for code · scale. */
export const hasOffset = (format: BlockFormat): boolean => CODES[format].offset !== undefined;

/**
 * `fn codesAt(at: u32) -> u32`: the codes of elements 4·at … 4·at + 3 of a matrix whose words are `name`. `fn factorsAt(at: u32) ->
 * vec2f`: their scale and offset, which are those of the 16 elements from a multiple of 16 on.
 */
export function blockCodes(name: string, format: BlockFormat): string {
  const { codes, scale, offset = '0.0' } = CODES[format];
  return /* wgsl */ `${readers(name, format)}
fn codesAt(at: u32) -> u32 {
  ${placeOf(format)}
  return ${codes};
}
fn factorsAt(at: u32) -> vec2f {
  ${placeOf(format)}
  return vec2f(${scale}, ${offset});
}`;
}
