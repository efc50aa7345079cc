/**
 * An adapter that is kept beside the matrix it adapts (Hu et al. 2021): y = x·W + (α / r)·(x·A)·B. One dispatch computes x·A for all maps
 * of an input. The linear map's own dispatch then continues the sums over x·W with those over (x·A)·B. RMSNorm's scale is a factor of
 * both, so it is applied at the end there. The adapter's part is added in f32 to products of the base's own bits. Where attention has a
 * workgroup for each key head, it computes x·A of the map behind it, each workgroup for the heads that it has.
 */
import { lines, shifted } from '../shared/vectors.ts';
import { VECTORS, type LinearCode, type Sum } from './linearCode.ts';
import type { Declaration } from './program.ts';
import { LIST } from './rows.ts';

/** The pair of matrices for some of a map's columns. */
export interface LowRankPart {
  /** The first output that it adapts. Parts begin at multiples of four. */
  readonly column: number;
  readonly columns: number;
  /** The offsets of A [inputs, rank] and B [rank, columns] in the buffer of factors, multiples of four. */
  readonly a: number;
  readonly b: number;
}

export interface LowRankSpec {
  readonly rank: number;
  /** α / r. */
  readonly scale: number;
  /** The parts, at least one, in order of their columns. */
  readonly parts: readonly LowRankPart[];
  /** The place of (α / r)·x·A of row 0: a vector of the buffer of x, after all its rows. */
  readonly at: number;
  /** The number of shares of x that have an x·A of their own, one behind the other, whose sum is x·A; 1 unless attention computes it. */
  readonly shares: number;
}

/** The number of vectors that x·A of one part takes; the last one is filled up with zeros. */
export const partVectors = ({ rank }: Pick<LowRankSpec, 'rank'>): number => Math.ceil(rank / 4);

/** The number of vectors that x·A of one row takes. */
export const projectionVectors = (spec: Pick<LowRankSpec, 'rank' | 'parts' | 'shares'>): number =>
  partVectors(spec) * spec.parts.length * spec.shares;

interface Factors {
  readonly type: 'array<vec4f>' | 'array<f32>';
  /** WGSL function `factor(at)`: the four numbers from number `at` on. */
  readonly functions: string;
}

/** The WGSL that reads factors. Rows of a matrix that are no whole vectors are read number by number. */
function factorsOf(wholeVectors: boolean): Factors {
  const body = wholeVectors
    ? 'factors[at / 4u]'
    : 'vec4f(factors[at], factors[at + 1u], factors[at + 2u], factors[at + 3u])';
  return {
    type: wholeVectors ? 'array<vec4f>' : 'array<f32>',
    functions: `fn factor(at: u32) -> vec4f { return ${body}; }`,
  };
}

/** The WGSL with which the linear map reads its factors B. */
export const pairFactors = ({ parts }: LowRankSpec): Factors =>
  factorsOf(parts.every(({ columns }) => columns % 4 === 0));

/** The WGSL with which x·A reads the factors A. */
export const leftFactors = ({ rank }: Pick<LowRankSpec, 'rank'>): Factors => factorsOf(rank % 4 === 0);

export const factorsDeclaration = ({ type }: Factors): Declaration => ['factors', type, 'read'];

/** WGSL that multiplies a vector of x·A by α / r, and clears what is beyond the rank in the last vector of a part. */
export function scaledPiece({ rank, scale }: LowRankSpec, sum: string, piece: string): string {
  const scaled = `${sum} * ${scale}`;
  return rank % 4 === 0
    ? scaled
    : `select(vec4f(), ${scaled}, ${piece} * 4u + vec4u(0u, 1u, 2u, 3u) < vec4u(${rank}u))`;
}

/** (x·A)·B of a linear map, whose invocations have `vectors` vectors of columns, `width` vectors apart. */
export function lowRankSums(spec: LowRankSpec, vectors: number, width: number): Sum[] {
  const { rank, parts, at, shares } = spec;
  const own = partVectors(spec);
  const pieceOf = (kk: string): string => (shares === 1 ? kk : `(${kk} % ${own}u)`);
  const sum = (target: number, declare: string, shared: boolean): Sum => ({
    kind: VECTORS,
    targets: [target],
    declare,
    steps: `steps${target}`,
    rowAt: (row) => `${at}u + (${row}) * ${projectionVectors(spec)}u + from${target}`,
    factor: null,
    normed: false,
    shared,
    fetch: (kk) =>
      lines(
        4,
        (i) =>
          `let b${target}_${i} = factor(pair${target} + min(${pieceOf(kk)} * 4u + ${i}u, ${rank - 1}u) * across${target});`,
      ),
  });
  const place = (part: LowRankPart, column: string): readonly string[] => [
    `${own * shares}u`,
    `${parts.indexOf(part) * own}u`,
    `${part.b}u + ${column} * 4u`,
    `${part.columns}u`,
  ];
  const NAMES = ['steps', 'from', 'pair', 'across'] as const;
  const [only] = parts;
  const onePartForAll = only?.column === 0 && only.columns > (width - 1) * 4;
  // Gate and up have a part each, if any.
  if (vectors > 1 || onePartForAll) {
    // A part as wide as both acts on both.
    const isBoth = vectors > 1 && only !== undefined && only.columns > width * 4;
    return (isBoth ? [only, only] : parts).map((part, i) => {
      const target = isBoth ? i : part.column === 0 ? 0 : 1;
      const values = place(part, isBoth && target === 1 ? `(column + ${width}u)` : 'column');
      return sum(target, NAMES.map((name, i) => `let ${name}${target} = ${values[i]};`).join(' '), true);
    });
  }
  const choice = parts.map((part) => {
    const values = place(part, `(column - ${part.column / 4}u)`);
    const inside = `column >= ${part.column / 4}u && column < ${Math.ceil((part.column + part.columns) / 4)}u`;
    return `if (${inside}) { ${NAMES.map((name, i) => `${name}0 = ${values[i]};`).join(' ')} }`;
  });
  const declare = `${NAMES.map((name) => `var ${name}0 = 0u;`).join(' ')}\n  ${choice.join(' else ')}`;
  const wholeQuads = parts.every(({ column, columns }) => column % 16 === 0 && columns % 16 === 0);
  return [sum(0, declare, wholeQuads)];
}

export interface ProjectionSpec {
  readonly label: string;
  readonly inputs: number;
  /** True if x is the input of an RMSNorm, whose scale is left out. */
  readonly norm: boolean;
  /** The number that is added to the norm's γ. */
  readonly normShift: number;
  readonly lowRank: LowRankSpec;
}

/** (α / r)·x·A of all parts. Bindings: list, x and behind it x·A, factors, then gamma with a norm. */
export function projectionCode({ label, inputs, norm, normShift, lowRank }: ProjectionSpec): LinearCode {
  const { rank, parts, at } = lowRank;
  const own = partVectors(lowRank);
  const columns = projectionVectors(lowRank);
  const factors = leftFactors(lowRank);
  const firsts = parts.map(({ a }) => `${a}u`).join(', ');
  const product: Sum = {
    kind: VECTORS,
    targets: [0],
    declare: `let firsts = array<u32, ${parts.length}>(${firsts});
  let piece = column % ${own}u;
  let left = firsts[column / ${own}u] + piece * 4u;`,
    steps: `${inputs / 4}u`,
    rowAt: (row) => `${row} * ${inputs / 4}u`,
    factor: null,
    normed: norm,
    shared: true,
    fetch: (kk) => lines(4, (i) => `let b0_${i} = factor(left + (${kk} * 4u + ${i}u) * ${rank}u);`),
  };
  return {
    label,
    directives: '',
    declarations: [
      LIST,
      ['x', 'array<vec4f>', 'write'],
      factorsDeclaration(factors),
      ...(norm ? [['gamma', 'array<vec4f>', 'read'] as const] : []),
    ],
    functions: factors.functions,
    inputs,
    vectors: 1,
    columns,
    firstColumn: 0,
    gamma: shifted('gamma[kk]', normShift),
    sums: [product],
    scaleEpsilon: null,
    rowScale: null,
    finish: (row, sum) =>
      `x[${at}u + (${row}) * ${columns}u + column] = ${scaledPiece(lowRank, sum(0), `column % ${own}u`)};`,
    rowWork: inputs * columns * 4,
  };
}
