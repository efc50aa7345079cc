/**
 * Attention over the key/value cache, with everything between the projection and it: the norm of each head (Qwen3), RoPE, and writing the
 * new keys and values. A row reads the keys of its prompt, which its whole group shares, and then its own.
 */
import { lines, QUAD_SWAPS, range } from '../shared/vectors.ts';
import { attentionGroups } from './attentionGroups.ts';
import type { AttentionSplit } from './attentionSplit.ts';
import {
  appendCode,
  attentionDeclarations,
  firstSeen,
  loadHead,
  loadRotation,
  scoreScale,
  type AttentionSpec,
  type AttentionWork,
} from './attentionSpec.ts';
import { cached, pageCode } from './pages.ts';
import { kindsOf, type DecodeKernel, type DecodePlan } from './program.ts';
import { listCode } from './rows.ts';

/** Makes the kernel. With a `split`, which only `groups` has, `mergeKernel` must run behind it. */
export function attentionKernel(
  spec: AttentionSpec,
  work: AttentionWork,
  plan: DecodePlan,
  split: AttentionSplit | null = null,
): DecodeKernel {
  if (plan === 'groups') return attentionGroups(spec, work, split);
  return plan === 'quads' && fitsQuads(spec) ? attentionQuads(spec, work) : attentionItems(spec, work);
}

/** The invocations of a workgroup in the plans without workgroup memory. */
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
    ${lines(vectors, (i) => `let q${i} = u${i} * ${scoreScale(spec)};`)}
    var highest = -1.0e30;
    var total = 0.0;
    ${lines(vectors, (i) => `var o${i} = vec4f();`)}
    for (var j = ${firstSeen(spec, 'row.position')}; j < count; j += ${KEYS}u) {
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

/** True if heads are whole quads of vectors. */
const fitsQuads = ({ headDim }: AttentionSpec): boolean => headDim % 16 === 0;

/**
 * Attention in which four neighbours take four rows. Rows of one group read the keys of their prompt together: each lane loads a quarter,
 * and they swap. A lane holds its query and its sums in its own order of vectors (the j-th of four is lane ^ j), which its own loads
 * follow too, and four terms are added as pairs of pairs, which is the same for every lane. So a row's numbers are the same to the bit
 * whether or not its neighbours share its prompt.
 */
function attentionQuads(spec: AttentionSpec, work: AttentionWork): DecodeKernel {
  const { heads, kvHeads, headDim, cachePrecision } = spec;
  const declarations = attentionDeclarations(spec);
  const vectors = headDim / 4;
  const group = heads / kvHeads;
  const isWindowed = (spec.window ?? null) !== null;
  const stride = kvHeads * vectors;
  const each = (line: (quad: number, j: number) => string): string =>
    lines(vectors, (i) => line(Math.floor(i / 4), i % 4));

  /** Declares `{name}{k}_{i}`, the vectors of a key or value, which lanes load together or each for itself. */
  const loadVectors = (from: string, name: string, k: number, shared: boolean): string =>
    shared
      ? lines(
          vectors / 4,
          (
            quad,
          ) => `let ${name}${k}_own${quad} = ${cached(cachePrecision, `${from}${k} + ${4 * quad}u + lane`)};
        ${lines(4, (j) => `let ${name}${k}_${4 * quad + j} = ${QUAD_SWAPS[j]}(${name}${k}_own${quad});`)}`,
        )
      : each(
          (quad, j) =>
            `let ${name}${k}_${4 * quad + j} = ${cached(cachePrecision, `${from}${k} + ${4 * quad}u + (lane ^ ${j}u)`)};`,
        );
  const score = (k: number): string =>
    Array.from({ length: vectors / 4 }, (_, quad) => {
      const term = (j: number): string => `dot(q${4 * quad + j}, k${k}_${4 * quad + j})`;
      return `((${term(0)} + ${term(1)}) + (${term(2)} + ${term(3)}))`;
    }).join(' + ');

  /**
   * WGSL of a loop over keys up to `end` − 1 of the pages from `pagesAt` in the table on; the row sees those from `seen` to `own` − 1.
   * Four keys are of one page. Without a window the loop begins at 0.
   */
  const loop = (shared: boolean, end: string, own: string): string => /* wgsl */ `
      for (var j = ${isWindowed ? `start / ${KEYS}u * ${KEYS}u` : '0u'}; j < ${end}; j += ${KEYS}u) {
        let page = entryIn(pagesAt, j) + kvHead * ${vectors}u;
        ${lines(KEYS, (k) => `let entry${k} = page + (min(j + ${k}u, ${end} - 1u) - j) * ${stride}u;`)}
        ${lines(KEYS, (k) => loadVectors('entry', 'k', k, shared))}
        ${lines(KEYS, (k) => `let s${k} = select(-1.0e30, ${score(k)}, j + ${k}u < ${own}${isWindowed ? ` && j + ${k}u >= seen` : ''});`)}
        ${WEIGH_SCORES}
        ${lines(KEYS, (k) => loadVectors('VALUES + entry', 'v', k, shared))}
        ${lines(vectors, (i) => `o${i} = ${weighted(i)};`)}
      }`;

  /** The first keys that a row sees of its prompt and of its own; rows that go over a prompt together begin at the first of all. */
  const findSeen = /* wgsl */ `
  let seenOfPrompt = ${firstSeen(spec, 'row.position')};
  let seenOfOwn = seenOfPrompt - min(seenOfPrompt, ofPrompt);
  let startOfPair = min(seenOfPrompt, quadSwapX(seenOfPrompt));
  let startOfQuad = min(startOfPair, quadSwapY(startOfPair));`;

  const attend = /* wgsl */ `
  let ofPrompt = min(row.promptLength, row.position + 1u);
  let ofOwn = row.position + 1u - ofPrompt;
  let together = ofPrompt > 0u && quadSwapX(row.promptPages) == row.promptPages &&
    quadSwapY(row.promptPages) == row.promptPages && quadSwapDiagonal(row.promptPages) == row.promptPages;
  let ofPair = max(ofPrompt, quadSwapX(ofPrompt));
  let ofQuad = max(ofPair, quadSwapY(ofPair));
  ${isWindowed ? findSeen : ''}
  for (var head = kvHead * ${group}u; head < (kvHead + 1u) * ${group}u; head++) {
    ${loadHead(spec, 'u', `rowAt + head * ${vectors}u`, 'queryNorm')}
    ${each((quad, j) => {
      const natural = (i: number): string => `u${4 * quad + i}`;
      const pair = (i: number): string => `select(${natural(i)}, ${natural(i ^ 1)}, (lane & 1u) != 0u)`;
      return `let q${4 * quad + j} = select(${pair(j)}, ${pair(j ^ 2)}, (lane & 2u) != 0u) * ${scoreScale(spec)};`;
    })}
    var highest = -1.0e30;
    var total = 0.0;
    ${lines(vectors, (i) => `var o${i} = vec4f();`)}
    if (together) {
      let pagesAt = row.promptPages;
      ${isWindowed ? 'let seen = seenOfPrompt;\n      let start = startOfQuad;' : ''}
      ${loop(true, 'ofQuad', 'ofPrompt')}
    }
    for (var part = select(0u, 1u, together); part < 2u; part++) {
      let pagesAt = select(row.ownPages, row.promptPages, part == 0u);
      let size = select(ofOwn, ofPrompt, part == 0u);
      ${isWindowed ? 'let seen = select(seenOfOwn, seenOfPrompt, part == 0u);\n      let start = seen;' : ''}
      ${loop(false, 'size', 'size')}
    }
    let at = (rowIndex * ${heads}u + head) * ${vectors}u;
    if (valid) {
      ${each((quad, j) => `mixed[at + ${4 * quad}u + (lane ^ ${j}u)] = o${4 * quad + j} / total;`)}
    }
  }`;
  return {
    label: `attention ${work}`,
    code: /* wgsl */ `enable subgroups; diagnostic(off, subgroup_uniformity);
${listCode(declarations)}${pageCode(kvHeads * vectors, cachePrecision)}
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let count = list.count;
  let lane = id.x % 4u;
  let kvHead = id.x / 4u % ${kvHeads}u;
  let first = id.x / ${4 * kvHeads}u * 4u;
  if (first >= count) { return; }
  // Lanes beyond the last row repeat it: neighbours need them.
  let valid = first + lane < count;
  let rowIndex = min(first + lane, count - 1u);
  let row = list.rows[rowIndex];
  let rowAt = rowIndex * ${(heads + 2 * kvHeads) * vectors}u;
  ${loadRotation(spec)}
  ${work === 'attend' ? '' : appendCode(spec)}
  ${work === 'append' ? '' : attend}
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [Math.ceil((Math.ceil(rows / 4) * 4 * kvHeads) / INVOCATIONS)],
  };
}
