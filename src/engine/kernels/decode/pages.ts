/**
 * Keys and values in pages (PagedAttention, Kwon et al. 2023). A page holds the keys of 16 positions, then their values, of all key
 * heads. A table says which pages hold a prompt's positions, and which hold a row's own. So memory is taken as tokens come, in any order,
 * and all rows of a prompt read the same pages.
 */
import { HALF_CODE } from '../shared/halves.ts';
import type { Declaration } from './program.ts';

/** The format of keys and values. With f16 they are rounded when stored, and computed with as f32. */
export type CachePrecision = 'f32' | 'f16';

/** The number of positions in a page. */
export const PAGE_POSITIONS = 16;

/** The number of pages that so many positions take. */
export const pagesOf = (positions: number): number => Math.ceil(positions / PAGE_POSITIONS);

/** The bytes of a page in one layer. */
export const pageBytes = (
  { kvHeads, headDim }: { readonly kvHeads: number; readonly headDim: number },
  precision: CachePrecision,
): number => 2 * PAGE_POSITIONS * kvHeads * headDim * (precision === 'f16' ? 2 : 4);

export const pageBindings = (precision: CachePrecision): Declaration[] => [
  ['pages', 'array<u32>', 'read'],
  ['cache', precision === 'f16' ? 'array<vec2u>' : 'array<vec4f>', 'write'],
];

/** WGSL of the vector of the cache at an index, and of the statement that writes one. */
export const cached = (precision: CachePrecision, at: string): string =>
  precision === 'f16' ? `unpackHalves(cache[${at}])` : `cache[${at}]`;
export const keepCached = (precision: CachePrecision, at: string, value: string): string =>
  `cache[${at}] = ${precision === 'f16' ? `packHalves(${value})` : value};`;

/**
 * WGSL for keys of `stride` vectors. `entryIn(first, at)` is the index of the first vector of key `at`, whose pages are listed in the
 * table from `first` on; `keyEntry(row, j)` is the same for position j of a row. `VALUES` is the distance from a key to its value.
 */
export const pageCode = (
  stride: number,
  precision: CachePrecision,
): string => /* wgsl */ `${precision === 'f16' ? HALF_CODE : ''}
const VALUES = ${PAGE_POSITIONS * stride}u;
fn entryIn(first: u32, at: u32) -> u32 {
  return (pages[first + at / ${PAGE_POSITIONS}u] * ${2 * PAGE_POSITIONS}u + at % ${PAGE_POSITIONS}u) * ${stride}u;
}
fn keyEntry(row: Row, j: u32) -> u32 {
  if (j < row.promptLength) { return entryIn(row.promptPages, j); }
  return entryIn(row.ownPages, j - row.promptLength);
}`;
