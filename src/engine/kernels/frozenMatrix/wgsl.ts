/** WGSL that reads a matrix in any format: its bindings, and a function that returns four neighbouring elements. */
import type { Binding } from '../../backend/dispatch.ts';
import { isBlockFormat, type BlockFormat } from '../blockFormats/blockFormats.ts';
import { blockLoad } from './blockWgsl.ts';
import type { FrozenFormat } from './frozenMatrix.ts';
import { GROUP_SIZES, scaleCount, wordBytes } from './layout.ts';
import type { BlockView, MatrixView } from './matrixView.ts';
import { NF4_LEVELS } from './quantize.ts';

/** The WGSL types that hold whole pieces of four elements: one piece, except for `q4`, whose words hold two. Words of blocks are single. */
const WORD_TYPES: Readonly<Record<Exclude<FrozenFormat, BlockFormat>, string>> = {
  f32: 'vec4f',
  f16: 'vec2u',
  bf16: 'vec2u',
  q8: 'u32',
  q4: 'u32',
};

/** The names and WGSL element types of the bindings: the words under this name and, if the format has them, `…Scales`. */
export function matrixArrays(
  name: string,
  format: FrozenFormat,
): readonly (readonly [name: string, element: string])[] {
  const words = [name, isBlockFormat(format) ? 'u32' : WORD_TYPES[format]] as const;
  return format === 'q8' || format === 'q4' ? [words, [`${name}Scales`, 'f32']] : [words];
}

/** The bindings as declarations for `shaderHeader`. */
export function matrixDeclarations(name: string, format: FrozenFormat): string[] {
  return matrixArrays(name, format).map(([array, element]) => `${array}: ${element}`);
}

/** The bindings of a block, in that order. */
export function blockBindings(
  { columns }: MatrixView,
  { format, rows, words, offset, scales }: BlockView,
): Binding[] {
  const elements = rows * columns;
  const ofWords = { tensor: words, offset, length: wordBytes(format, elements) / 4 };
  return scales ? [ofWords, { tensor: scales, offset: 0, length: scaleCount(format, elements) }] : [ofWords];
}

/** `fn load(at: u32) -> vec4f`: elements 4·at … 4·at + 3 of a matrix declared by `matrixDeclarations`. */
export function matrixLoad(load: string, name: string, format: FrozenFormat): string {
  if (isBlockFormat(format)) return blockLoad(load, name, format);
  const head = `fn ${load}(at: u32) -> vec4f`;
  const scale = (group: number): string => `${name}Scales[at / ${group / 4}u]`;
  switch (format) {
    case 'f32':
      return `${head} { return ${name}[at]; }`;
    case 'f16':
      return `${head} { let words = ${name}[at]; return vec4f(unpack2x16float(words.x), unpack2x16float(words.y)); }`;
    case 'bf16':
      return /* wgsl */ `${head} {
  let words = ${name}[at];
  return bitcast<vec4f>(vec4u(words.x << 16u, words.x & 0xffff0000u, words.y << 16u, words.y & 0xffff0000u));
}`;
    case 'q8':
      return /* wgsl */ `${head} {
  let bytes = vec4i(bitcast<i32>(${name}[at])) << vec4u(24u, 16u, 8u, 0u);
  return vec4f(bytes >> vec4u(24u)) * ${scale(GROUP_SIZES.q8)};
}`;
    case 'q4':
      return /* wgsl */ `const ${load}Levels = array<f32, 16>(${NF4_LEVELS.join(', ')});
${head} {
  let half = vec4u(${name}[at / 2u] >> (16u * (at % 2u)));
  let i = (half >> vec4u(0u, 4u, 8u, 12u)) & vec4u(15u);
  return vec4f(${load}Levels[i.x], ${load}Levels[i.y], ${load}Levels[i.z], ${load}Levels[i.w]) * ${scale(GROUP_SIZES.q4)};
}`;
  }
}
