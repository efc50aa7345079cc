/** x·A of an adapter of the map behind attention, computed by the workgroups that have its input. */
import { lines } from '../shared/vectors.ts';
import type { AttentionSpec } from './attentionSpec.ts';
import { partVectors, scaledPiece } from './lowRank.ts';

/** The invocations of a workgroup of attention for hardware. */
export const ATTENTION_LANES = 64;

/**
 * Statements that multiply the mixed values of a workgroup's heads, from vector `mixedAt` on, by their rows of A: its share of x·A. Each
 * lane takes a piece of the rank over a slice of the rows, and the slices are added in order.
 */
export function headProjection({ lowRank, heads, kvHeads, headDim }: AttentionSpec): string {
  if (!lowRank) return '';
  const vectors = ((heads / kvHeads) * headDim) / 4;
  const { rank, at } = lowRank;
  const first = lowRank.parts[0]?.a ?? 0;
  const own = partVectors(lowRank);
  const pieces = Math.min(own, ATTENTION_LANES);
  const slices = Math.floor(ATTENTION_LANES / pieces);
  const row = `${first}u + (kvHead * ${vectors}u + i) * ${4 * rank}u + piece * 4u`;
  return /* wgsl */ `
  storageBarrier();
  for (var piece0 = 0u; piece0 < ${own}u; piece0 += ${pieces}u) {
    let piece = piece0 + lane % ${pieces}u;
    let isMine = lane < ${pieces * slices}u && piece < ${own}u;
    var product = vec4f();
    if (isMine) {
      for (var i = lane / ${pieces}u; i < ${vectors}u; i += ${slices}u) {
        let a = mixed[mixedAt + i];
        ${lines(4, (j) => `product = fma(vec4f(a[${j}]), factor(${row} + ${j * rank}u), product);`)}
      }
    }
    parts[lane] = product;
    workgroupBarrier();
    if (lane < ${pieces}u && isMine) {
      var whole = parts[lane];
      for (var s = 1u; s < ${slices}u; s++) { whole += parts[s * ${pieces}u + lane]; }
      mixed[${at}u + (rowIndex * ${kvHeads}u + kvHead) * ${own}u + piece] = ${scaledPiece(lowRank, 'whole', 'piece')};
    }
    workgroupBarrier();
  }`;
}
