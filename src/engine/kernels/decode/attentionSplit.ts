/**
 * Attention of few rows over long contexts, for hardware (flash-decoding, Dao et al. 2023): the keys of a row are cut into parts, each
 * with a workgroup of its own, which keeps its sum of values, its greatest score and its total. A second kernel weighs the parts.
 */
import { firstSeen, type AttentionSpec } from './attentionSpec.ts';
import { ATTENTION_LANES, headProjection } from './attentionProjection.ts';
import { factorsDeclaration, leftFactors } from './lowRank.ts';
import { kindsOf, type DecodeKernel, type DecodePlan, type Declaration } from './program.ts';
import { LIST, listCode } from './rows.ts';

/** The cut of a row's keys by their positions, so that it depends on nothing but the row's own. */
export interface AttentionSplit {
  /** The positions of a part. */
  readonly span: number;
  readonly parts: number;
}

/** The fewest positions of a part: below, a workgroup has too little to do. */
const SPAN = 256;
const MOST_PARTS = 16;

/**
 * Returns how attention is cut in a generator of so many positions; null if a workgroup takes all keys of a row, as for up to 512 of them
 * and on software adapters. It does not depend on the number of rows: a row's numbers must be the same beside any others.
 */
export function splitFor(
  { window = null }: Pick<AttentionSpec, 'window'>,
  positions: number,
  plan: DecodePlan,
): AttentionSplit | null {
  if (plan !== 'groups' || Math.min(window ?? Infinity, positions) <= 2 * SPAN) return null;
  let span = SPAN;
  while (span * MOST_PARTS < positions) span *= 2;
  return { span, parts: Math.ceil(positions / span) };
}

/** The vectors of a head in a part: its sum of values, then its greatest score and its total. */
export const partHeadVectors = ({ headDim }: Pick<AttentionSpec, 'headDim'>): number => headDim / 4 + 1;

/** The floats that the parts of a row take. */
export const splitWidth = (
  spec: Pick<AttentionSpec, 'heads' | 'headDim'>,
  { parts }: AttentionSplit,
): number => 4 * parts * spec.heads * partHeadVectors(spec);

/**
 * Makes the kernel that weighs the parts. Bindings: list, parts, mixed values, then the factors of an adapter whose x·A it computes, if
 * there is one.
 */
export function mergeKernel(spec: AttentionSpec, { span, parts }: AttentionSplit): DecodeKernel {
  const { heads, kvHeads, headDim, lowRank } = spec;
  const declarations: Declaration[] = [
    LIST,
    ['partial', 'array<vec4f>', 'read'],
    ['mixed', 'array<vec4f>', 'write'],
    ...(lowRank ? [factorsDeclaration(leftFactors(lowRank))] : []),
  ];
  const vectors = headDim / 4;
  const group = heads / kvHeads;
  const each = partHeadVectors(spec);
  const lanes = ATTENTION_LANES;
  return {
    label: 'attention, parts',
    code: /* wgsl */ `${listCode(declarations)}
${lowRank ? `${leftFactors(lowRank).functions}\nvar<workgroup> parts: array<vec4f, ${lanes}>;` : ''}
@compute @workgroup_size(${lanes})
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) lane: u32) {
  let rowIndex = workgroup.x / ${kvHeads}u;
  let kvHead = workgroup.x % ${kvHeads}u;
  if (rowIndex >= list.count) { return; }
  let position = list.rows[rowIndex].position;
  let first = ${firstSeen(spec, 'position')} / ${span}u;
  let last = position / ${span}u;
  let mixedAt = (rowIndex * ${heads}u + kvHead * ${group}u) * ${vectors}u;
  for (var i = lane; i < ${group * vectors}u; i += ${lanes}u) {
    let head = kvHead * ${group}u + i / ${vectors}u;
    var highest = -1.0e30;
    for (var part = first; part <= last; part++) {
      highest = max(highest, partial[((rowIndex * ${parts}u + part) * ${heads}u + head) * ${each}u + ${vectors}u].x);
    }
    var total = 0.0;
    var sum = vec4f();
    for (var part = first; part <= last; part++) {
      let at = ((rowIndex * ${parts}u + part) * ${heads}u + head) * ${each}u;
      let ends = partial[at + ${vectors}u];
      let weight = exp(ends.x - highest);
      total = fma(weight, ends.y, total);
      sum = fma(vec4f(weight), partial[at + i % ${vectors}u], sum);
    }
    mixed[mixedAt + i] = sum / total;
  }
  ${headProjection(spec)}
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [rows * kvHeads],
  };
}
