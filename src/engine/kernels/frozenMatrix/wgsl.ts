/** WGSL that reads a matrix in any format: its binding, and a function that returns four neighbouring elements. */
import type { Binding } from '../../backend/dispatch.ts';
import { isBlockFormat } from '../blockFormats/blockFormats.ts';
import { blockLoad } from './blockWgsl.ts';
import type { FrozenFormat } from './frozenMatrix.ts';
import { wordBytes } from './layout.ts';
import type { BlockView, MatrixView } from './matrixView.ts';

/** The WGSL element type of the binding: four elements of the matrix, or a word of its blocks. */
export function matrixElement(format: FrozenFormat): string {
  if (isBlockFormat(format)) return 'u32';
  return format === 'f32' ? 'vec4f' : 'vec2u';
}

/** The binding of a block. */
export function blockBinding({ columns }: MatrixView, { format, rows, words, offset }: BlockView): Binding {
  return { tensor: words, offset, length: wordBytes(format, rows * columns) / 4 };
}

/** `fn load(at: u32) -> vec4f`: elements 4·at … 4·at + 3 of a matrix that is bound as `name`. */
export function matrixLoad(load: string, name: string, format: FrozenFormat): string {
  if (isBlockFormat(format)) return blockLoad(load, name, format);
  const head = `fn ${load}(at: u32) -> vec4f`;
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
  }
}
