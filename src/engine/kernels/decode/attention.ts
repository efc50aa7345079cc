/**
 * Attention over the key/value cache, with everything between the projection and it: the norm of each head (Qwen3), RoPE, and writing the
 * new keys and values. A row reads the keys of its prompt, which its whole group shares, and then its own.
 */
import { lines, range } from '../shared/vectors.ts';
import { attentionGroups } from './attentionGroups.ts';
import {
  appendCode,
  attentionDeclarations,
  loadHead,
  loadRotation,
  type AttentionSpec,
  type AttentionWork,
} from './attentionSpec.ts';
import { cached, pageCode } from './pages.ts';
import { kindsOf, type DecodeKernel, type DecodePlan } from './program.ts';
import { listCode } from './rows.ts';

export function attentionKernel(spec: AttentionSpec, work: AttentionWork, plan: DecodePlan): DecodeKernel {
  return plan === 'groups' ? attentionGroups(spec, work) : attentionItems(spec, work);
}

/** The invocations of a workgroup. */
const INVOCATIONS = 16;
/** The keys whose scores are weighed at once: a store to a variable costs a software adapter dearly. */
const KEYS = 4;

/** WGSL that turns the scores `s0 …` of such keys into weights `w0 …`, and sets `keep`, the factor on the sums so far. */
const WEIGH_SCORES = /* wgsl */ `
      let next = max(highest, ${range(KEYS)
        .map((k) => `s${k}`)
        .reduce((a, b) => `max(${a}, ${b})`)});
      let keep = exp(highest - next);
      ${lines(KEYS, (k) => `let w${k} = exp(s${k} - next);`)}
      highest = next;
      total = total * keep + (${range(KEYS)
        .map((k) => `w${k}`)
        .join(' + ')});`;

/** The i-th vector of the values' sum with those of such keys added. */
const weighted = (i: number): string =>
  range(KEYS).reduce((sum, k) => `fma(vec4f(w${k}), v${k}_${i}, ${sum})`, `o${i} * keep`);

/** Attention without workgroup memory: an invocation takes all query heads of one key head of one row, four keys at a time. */
function attentionItems(spec: AttentionSpec, work: AttentionWork): DecodeKernel {
  const { heads, kvHeads, headDim, cachePrecision } = spec;
  const declarations = attentionDeclarations(spec);
  const vectors = headDim / 4;
  const group = heads / kvHeads;
  const rowVectors = (heads + 2 * kvHeads) * vectors;
  const dot = (k: number): string =>
    Array.from({ length: vectors }, (_, i) => `dot(q${i}, k${k}_${i})`).join(' + ');

  const attend = /* wgsl */ `
  let count = row.position + 1u;
  for (var head = kvHead * ${group}u; head < (kvHead + 1u) * ${group}u; head++) {
    ${loadHead(spec, 'u', `rowAt + head * ${vectors}u`, 'queryNorm')}
    ${lines(vectors, (i) => `let q${i} = u${i} * ${1 / Math.sqrt(headDim)};`)}
    var highest = -1.0e30;
    var total = 0.0;
    ${lines(vectors, (i) => `var o${i} = vec4f();`)}
    for (var j = 0u; j < count; j += ${KEYS}u) {
      ${lines(KEYS, (k) => `let entry${k} = keyEntry(row, min(j + ${k}u, row.position)) + kvHead * ${vectors}u;`)}
      ${lines(KEYS, (k) => lines(vectors, (i) => `let k${k}_${i} = ${cached(cachePrecision, `entry${k} + ${i}u`)};`))}
      ${lines(KEYS, (k) => `let s${k} = select(-1.0e30, ${dot(k)}, j + ${k}u < count);`)}
      ${WEIGH_SCORES}
      ${lines(KEYS, (k) => lines(vectors, (i) => `let v${k}_${i} = ${cached(cachePrecision, `entry${k} + VALUES + ${i}u`)};`))}
      ${lines(vectors, (i) => `o${i} = ${weighted(i)};`)}
    }
    let at = (rowIndex * ${heads}u + head) * ${vectors}u;
    ${lines(vectors, (i) => `mixed[at + ${i}u] = o${i} / total;`)}
  }`;
  return {
    label: `attention ${work}`,
    code: /* wgsl */ `${listCode(declarations)}${pageCode(kvHeads * vectors, cachePrecision)}
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rowIndex = id.x / ${kvHeads}u;
  let kvHead = id.x % ${kvHeads}u;
  if (rowIndex >= list.count) { return; }
  let row = list.rows[rowIndex];
  let rowAt = rowIndex * ${rowVectors}u;
  ${loadRotation(spec)}
  ${work === 'attend' ? '' : appendCode(spec)}
  ${work === 'append' ? '' : attend}
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [Math.ceil((rows * kvHeads) / INVOCATIONS)],
  };
}
