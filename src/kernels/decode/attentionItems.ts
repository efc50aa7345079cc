/** Attention without workgroup memory: an invocation takes all query heads of one key head of one row, four keys at a time. */
import { appendCode, loadHead, loadRotation } from './attentionParts.ts';
import {
  attentionDeclarations,
  KEY_POSITION_CODE,
  type AttentionSpec,
  type AttentionWork,
} from './attentionSpec.ts';
import { kindsOf, lines, type DecodeKernel } from './program.ts';
import { listCode } from './rows.ts';

const INVOCATIONS = 16;
/** Keys whose scores are weighed at once: a store to a variable costs a software adapter dearly. */
const KEYS = 4;

export function attentionItems(spec: AttentionSpec, work: AttentionWork): DecodeKernel {
  const { heads, kvHeads, headDim } = spec;
  const declarations = attentionDeclarations(spec);
  const vectors = headDim / 4;
  const group = heads / kvHeads;
  const rowVectors = (heads + 2 * kvHeads) * vectors;
  const dot = (k: number): string =>
    Array.from({ length: vectors }, (_, i) => `dot(q${i}, k${k}_${i})`).join(' + ');
  const weighted = (i: number): string =>
    Array.from({ length: KEYS }).reduce<string>(
      (sum, _, k) => `fma(vec4f(w${k}), v${k}_${i}, ${sum})`,
      `o${i} * keep`,
    );
  const keys = Array.from({ length: KEYS }, (_, k) => k);

  const attend = /* wgsl */ `
  let count = row.position + 1u;
  for (var head = kvHead * ${group}u; head < (kvHead + 1u) * ${group}u; head++) {
    ${loadHead(spec, 'u', `rowAt + head * ${vectors}u`, 'queryNorm')}
    ${lines(vectors, (i) => `let q${i} = u${i} * ${1 / Math.sqrt(headDim)};`)}
    var highest = -1.0e30;
    var total = 0.0;
    ${lines(vectors, (i) => `var o${i} = vec4f();`)}
    for (var j = 0u; j < count; j += ${KEYS}u) {
      ${lines(KEYS, (k) => `let entry${k} = keyPosition(row, min(j + ${k}u, row.position)) * ${kvHeads * vectors}u + kvHead * ${vectors}u;`)}
      ${lines(KEYS, (k) => lines(vectors, (i) => `let k${k}_${i} = keys[entry${k} + ${i}u];`))}
      ${lines(KEYS, (k) => `let s${k} = select(-1.0e30, ${dot(k)}, j + ${k}u < count);`)}
      let next = max(highest, ${keys.map((k) => `s${k}`).reduce((a, b) => `max(${a}, ${b})`)});
      let keep = exp(highest - next);
      ${lines(KEYS, (k) => `let w${k} = exp(s${k} - next);`)}
      highest = next;
      total = total * keep + (${keys.map((k) => `w${k}`).join(' + ')});
      ${lines(KEYS, (k) => lines(vectors, (i) => `let v${k}_${i} = values[entry${k} + ${i}u];`))}
      ${lines(vectors, (i) => `o${i} = ${weighted(i)};`)}
    }
    let at = (rowIndex * ${heads}u + head) * ${vectors}u;
    ${lines(vectors, (i) => `mixed[at + ${i}u] = o${i} / total;`)}
  }`;
  return {
    label: `attention ${work}`,
    code: /* wgsl */ `${listCode(declarations)}${KEY_POSITION_CODE}
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
    workgroups: (rows) => Math.ceil((rows * kvHeads) / INVOCATIONS),
  };
}
