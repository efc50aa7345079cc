/**
 * Attention for hardware. A workgroup takes all query heads of one key head of one row, or of a part of its keys, some at a time. Each
 * lane scores a key; then it sums one vector of the values over its share of the keys, and the shares are added in order.
 */
import { lines, shifted } from '../shared/vectors.ts';
import {
  attentionDeclarations,
  firstSeen,
  scoreScale,
  type AttentionSpec,
  type AttentionWork,
} from './attentionSpec.ts';
import { ATTENTION_LANES as LANES, headProjection } from './attentionProjection.ts';
import { partHeadVectors, type AttentionSplit } from './attentionSplit.ts';
import { leftFactors } from './lowRank.ts';
import { cached, keepCached, pageCode } from './pages.ts';
import { kindsOf, type DecodeKernel } from './program.ts';
import { listCode } from './rows.ts';

/** The query heads at a time, which bound registers and workgroup memory. */
const MAX_HEADS = 8;

const largestDivisor = (value: number, most: number): number => {
  let divisor = Math.min(value, most);
  while (value % divisor !== 0) divisor--;
  return divisor;
};

/**
 * Statements that norm and rotate `count` heads of `qkv` from vector `at`, two vectors at a time. `store` takes the number of a vector
 * among those of the heads, and its value.
 */
function rotate(
  { headDim, headNormEpsilon, headNormShift = 0 }: AttentionSpec,
  { count, at, gamma }: { count: number; at: string; gamma: string },
  store: (vector: string, value: string) => string,
): string {
  const vectors = headDim / 4;
  const half = vectors / 2;
  const norm = /* wgsl */ `
      var squares = 0.0;
      for (var j = 0u; j < ${vectors}u; j++) { let v = qkv[${at} + head + j]; squares += dot(v, v); }
      let scale = inverseSqrt(squares / ${headDim}.0 + ${headNormEpsilon});
      first *= scale * ${shifted(`${gamma}[i]`, headNormShift)};
      second *= scale * ${shifted(`${gamma}[${half}u + i]`, headNormShift)};`;
  return /* wgsl */ `
    for (var piece = lane; piece < ${count * half}u; piece += ${LANES}u) {
      let head = piece / ${half}u * ${vectors}u;
      let i = piece % ${half}u;
      var first = qkv[${at} + head + i];
      var second = qkv[${at} + head + ${half}u + i];
      ${headNormEpsilon === null ? '' : norm}
      let cosine = table[row.position * ${vectors}u + i];
      let sine = table[row.position * ${vectors}u + ${half}u + i];
      ${store('head + i', 'first * cosine - second * sine')}
      ${store(`head + ${half}u + i`, 'second * cosine + first * sine')}
    }`;
}

/** Makes the kernel. With a split it leaves the parts of each row, for `mergeKernel`, in place of the mixed values and of x·A. */
export function attentionGroups(
  whole: AttentionSpec,
  work: AttentionWork,
  split: AttentionSplit | null = null,
): DecodeKernel {
  const spec = split ? { ...whole, lowRank: null } : whole;
  const { heads, kvHeads, headDim, cachePrecision, lowRank } = spec;
  const declarations = attentionDeclarations(spec);
  const vectors = headDim / 4;
  const group = heads / kvHeads;
  const atOnce = largestDivisor(group, MAX_HEADS);
  const shares = Math.floor(LANES / vectors);
  const stride = kvHeads * vectors;
  const each = split ? partHeadVectors(spec) : vectors;
  const entryOf = (key: string): string => `keyEntry(row, ${key}) + kvHead * ${vectors}u`;

  const seen = firstSeen(spec, 'row.position');
  const bounds = split
    ? /* wgsl */ `
  let first = max(${seen}, workgroup.y * ${split.span}u);
  let count = min(row.position + 1u, (workgroup.y + 1u) * ${split.span}u);
  if (first >= count) { return; }`
    : /* wgsl */ `
  let first = ${seen};
  let count = row.position + 1u;`;
  const append = /* wgsl */ `
  let ownKey = rowAt + ${heads * vectors}u + kvHead * ${vectors}u;
  let entry = ${entryOf('row.position')};
  ${rotate(spec, { count: 1, at: 'ownKey', gamma: 'keyNorm' }, (vector, value) => keepCached(cachePrecision, `entry + ${vector}`, value))}
  if (lane < ${vectors}u) { ${keepCached(cachePrecision, 'entry + VALUES + lane', `qkv[ownKey + ${stride}u + lane]`)} }`;

  const tile = /* wgsl */ `
    for (var start = first; start < count; start += ${LANES}u) {
      let size = min(${LANES}u, count - start);
      let mine = ${entryOf('min(start + lane, count - 1u)')};
      ${lines(atOnce, (h) => `var score${h} = 0.0;`)}
      for (var i = 0u; i < ${vectors}u; i++) {
        let k = ${cached(cachePrecision, 'mine + i')};
        ${lines(atOnce, (h) => `score${h} += dot(queries[${h * vectors}u + i], k);`)}
      }
      ${lines(atOnce, (h) => `weights[${h * LANES}u + lane] = score${h};`)}
      workgroupBarrier();
      ${lines(
        atOnce,
        (h) => `var next${h} = highest${h};
      for (var i = 0u; i < size; i++) { next${h} = max(next${h}, weights[${h * LANES}u + i]); }
      let keep${h} = exp(highest${h} - next${h});
      highest${h} = next${h};`,
      )}
      workgroupBarrier();
      ${lines(atOnce, (h) => `weights[${h * LANES}u + lane] = exp(score${h} - next${h});`)}
      workgroupBarrier();
      ${lines(atOnce, (h) => `total${h} *= keep${h}; sum${h} *= keep${h};`)}
      for (var i = 0u; i < size; i++) {
        ${lines(atOnce, (h) => `total${h} += weights[${h * LANES}u + i];`)}
      }
      for (var i = share; i < size; i += ${shares}u) {
        let v = ${cached(cachePrecision, `${entryOf('start + i')} + VALUES + lane % ${vectors}u`)};
        ${lines(atOnce, (h) => `sum${h} = fma(vec4f(weights[${h * LANES}u + i]), v, sum${h});`)}
      }
      workgroupBarrier();
    }`;

  const attend = /* wgsl */ `
  // Lanes beyond the last whole share have nothing to sum.
  let share = select(${LANES}u, lane / ${vectors}u, lane < ${shares}u * ${vectors}u);
  let mixedAt = (${split ? `(rowIndex * ${split.parts}u + workgroup.y)` : 'rowIndex'} * ${heads}u + kvHead * ${group}u) * ${each}u;
  for (var head0 = 0u; head0 < ${group}u; head0 += ${atOnce}u) {
    let queryAt = rowAt + (kvHead * ${group}u + head0) * ${vectors}u;
    ${rotate(spec, { count: atOnce, at: 'queryAt', gamma: 'queryNorm' }, (vector, value) => `queries[${vector}] = (${value}) * ${scoreScale(spec)};`)}
    storageBarrier();
    workgroupBarrier();
    ${lines(atOnce, (h) => `var highest${h} = -1.0e30; var total${h} = 0.0; var sum${h} = vec4f();`)}
    ${tile}
    ${lines(
      atOnce,
      (h) => `parts[lane] = sum${h};
    workgroupBarrier();
    if (lane < ${vectors}u) {
      var whole = parts[lane];
      for (var s = 1u; s < ${shares}u; s++) { whole += parts[s * ${vectors}u + lane]; }
      mixed[mixedAt + (head0 + ${h}u) * ${each}u + lane] = whole${split ? '' : ` / total${h}`};
    }
    ${split ? `if (lane == 0u) { mixed[mixedAt + (head0 + ${h}u) * ${each}u + ${vectors}u] = vec4f(highest${h}, total${h}, 0.0, 0.0); }` : ''}
    workgroupBarrier();`,
    )}
  }
  ${headProjection(spec)}`;
  return {
    label: `attention ${work}`,
    code: /* wgsl */ `${listCode(declarations)}${pageCode(stride, cachePrecision)}
${lowRank ? leftFactors(lowRank).functions : ''}
${
  work === 'append'
    ? ''
    : `var<workgroup> queries: array<vec4f, ${atOnce * vectors}>;
var<workgroup> weights: array<f32, ${atOnce * LANES}>;
var<workgroup> parts: array<vec4f, ${LANES}>;`
}
@compute @workgroup_size(${LANES})
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) lane: u32) {
  let rowIndex = workgroup.x / ${kvHeads}u;
  let kvHead = workgroup.x % ${kvHeads}u;
  if (rowIndex >= list.count) { return; }
  let row = list.rows[rowIndex];
  let rowAt = rowIndex * ${(heads + 2 * kvHeads) * vectors}u;
  ${work === 'append' ? '' : bounds}
  ${work === 'attend' ? '' : split ? `if (count == row.position + 1u) { ${append} }` : append}
  ${work === 'append' ? '' : attend}
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [rows * kvHeads, split?.parts ?? 1],
  };
}
