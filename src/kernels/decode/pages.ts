/**
 * Keys and values in pages (PagedAttention, Kwon et al. 2023). A page holds the keys of 16 positions, then their values, of all key
 * heads. A table says which pages a prompt's positions are in, and which a row's own: so memory is taken as tokens come, in any
 * order, and all rows of a prompt read the same pages.
 */
import type { Declaration } from './program.ts';

/** Positions of a page. */
export const PAGE_POSITIONS = 16;

/** Pages that so many positions take. */
export const pagesOf = (positions: number): number => Math.ceil(positions / PAGE_POSITIONS);

/** Floats of a page in one layer. */
export const pageFloats = ({
  kvHeads,
  headDim,
}: {
  readonly kvHeads: number;
  readonly headDim: number;
}): number => 2 * PAGE_POSITIONS * kvHeads * headDim;

export const PAGE_BINDINGS: readonly Declaration[] = [
  ['pages', 'array<u32>', 'read'],
  ['cache', 'array<vec4f>', 'write'],
];

/**
 * WGSL, for keys of `stride` vectors: `entryIn(first, at)` is the vector with which key `at` begins, of those whose pages stand in
 * the table from `first` on; `keyEntry(row, j)` the same for position j of a row. `VALUES` is how far behind a key its value is.
 */
export const pageCode = (stride: number): string => /* wgsl */ `
const VALUES = ${PAGE_POSITIONS * stride}u;
fn entryIn(first: u32, at: u32) -> u32 {
  return (pages[first + at / ${PAGE_POSITIONS}u] * ${2 * PAGE_POSITIONS}u + at % ${PAGE_POSITIONS}u) * ${stride}u;
}
fn keyEntry(row: Row, j: u32) -> u32 {
  if (j < row.promptLength) { return entryIn(row.promptPages, j); }
  return entryIn(row.ownPages, j - row.promptLength);
}`;
