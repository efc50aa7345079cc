/**
 * The attention of a block and its buffers, and the WGSL that plans without workgroup memory share: a head in registers, and writing the
 * new key and value.
 */
import { attentionRule, type AttentionRule } from '../shared/attention.ts';
import { lines, shifted } from '../shared/vectors.ts';
import { keepCached, pageBindings, type CachePrecision } from './pages.ts';
import { factorsDeclaration, leftFactors, type LowRankSpec } from './lowRank.ts';
import type { Declaration, DecodePlan } from './program.ts';
import { LIST } from './rows.ts';

export interface AttentionSpec extends AttentionRule {
  readonly heads: number;
  readonly kvHeads: number;
  /** The size of a head, a multiple of 8. */
  readonly headDim: number;
  /** The epsilon of the norm of each head, or null for none. */
  readonly headNormEpsilon: number | null;
  /** The number that is added to the scales of those norms; 0 by default. */
  readonly headNormShift?: number;
  readonly cachePrecision: CachePrecision;
  /** An adapter of the map behind attention, whose x·A attention computes, if `projectsHeads` says that it can; by default there is none. */
  readonly lowRank?: LowRankSpec | null;
}

/**
 * True if attention computes x·A of the map behind it, a share for each key head. Workgroups have the heads of a key head together. With
 * normed heads there would be nine buffers, and devices promise eight.
 */
export const projectsHeads = (
  { headNormEpsilon }: Pick<AttentionSpec, 'headNormEpsilon'>,
  plan: DecodePlan,
): boolean => plan === 'groups' && headNormEpsilon === null;

/**
 * The kind of work. `step` handles one token of each row: it writes its key and value, then attends. The rows of a prompt read each
 * other's keys, so there `append` writes them all before `attend` reads any.
 */
export type AttentionWork = 'step' | 'append' | 'attend';

/**
 * The bindings, the same for each kind of work: list, projected q | k | v, RoPE table, page table, keys and values, mixed values, then
 * the norms of q and k or the factors of the adapter, if there are any. A row of the RoPE table is cosines | sines.
 */
export function attentionDeclarations({
  headNormEpsilon,
  cachePrecision,
  lowRank,
}: AttentionSpec): Declaration[] {
  return [
    LIST,
    ['qkv', 'array<vec4f>', 'read'],
    ['table', 'array<vec4f>', 'read'],
    ...pageBindings(cachePrecision),
    ['mixed', 'array<vec4f>', 'write'],
    ...(headNormEpsilon === null
      ? []
      : [['queryNorm', 'array<vec4f>', 'read'] as const, ['keyNorm', 'array<vec4f>', 'read'] as const]),
    ...(lowRank ? [factorsDeclaration(leftFactors(lowRank))] : []),
  ];
}

/** WGSL of the first position that a query at position `at` sees. */
export function firstSeen({ window = null }: AttentionSpec, at: string): string {
  return window === null ? '0u' : `(${at} + 1u - min(${at} + 1u, ${window}u))`;
}

/** WGSL of the factor on the products of queries and keys. */
export const scoreScale = (spec: AttentionSpec): string => `${attentionRule(spec).scale}`;

/** Declares the cosines and sines of the row's position. */
export function loadRotation({ headDim }: AttentionSpec): string {
  const vectors = headDim / 4;
  const half = vectors / 2;
  return `${lines(half, (i) => `let cos${i} = table[row.position * ${vectors}u + ${i}u];`)}
  ${lines(half, (i) => `let sin${i} = table[row.position * ${vectors}u + ${half + i}u];`)}`;
}

/** Declares `name0 … `: a head of `qkv` from vector `at`, normed and rotated. */
export function loadHead(
  { headDim, headNormEpsilon, headNormShift = 0 }: AttentionSpec,
  name: string,
  at: string,
  gamma: string,
): string {
  const vectors = headDim / 4;
  const half = vectors / 2;
  const raw = lines(vectors, (i) => `let ${name}Raw${i} = qkv[${at} + ${i}u];`);
  const squares = Array.from({ length: vectors }, (_, i) => `dot(${name}Raw${i}, ${name}Raw${i})`).join(
    ' + ',
  );
  const scale = `let ${name}Scale = inverseSqrt((${squares}) / ${headDim}.0 + ${headNormEpsilon});`;
  const normed =
    headNormEpsilon === null
      ? lines(vectors, (i) => `let ${name}In${i} = ${name}Raw${i};`)
      : `${scale}\n${lines(vectors, (i) => `let ${name}In${i} = ${name}Raw${i} * ${name}Scale * ${shifted(`${gamma}[${i}u]`, headNormShift)};`)}`;
  const rotated = lines(half, (i) => {
    const [first, second] = [`${name}In${i}`, `${name}In${i + half}`];
    return `let ${name}${i} = ${first} * cos${i} - ${second} * sin${i};
  let ${name}${i + half} = ${second} * cos${i} + ${first} * sin${i};`;
  });
  return `${raw}\n${normed}\n${rotated}`;
}

/** Writes the key and value of `row`, whose projections begin at `rowAt`, for `kvHead`. */
export function appendCode(spec: AttentionSpec): string {
  const { heads, kvHeads, headDim, cachePrecision } = spec;
  const vectors = headDim / 4;
  const keep = (at: string, value: string): string => keepCached(cachePrecision, at, value);
  return /* wgsl */ `
  {
    let at = rowAt + ${heads * vectors}u + kvHead * ${vectors}u;
    ${loadHead(spec, 'k', 'at', 'keyNorm')}
    let entry = keyEntry(row, row.position) + kvHead * ${vectors}u;
    ${lines(vectors, (i) => keep(`entry + ${i}u`, `k${i}`))}
    ${lines(vectors, (i) => keep(`entry + VALUES + ${i}u`, `qkv[at + ${kvHeads * vectors + i}u]`))}
  }`;
}
