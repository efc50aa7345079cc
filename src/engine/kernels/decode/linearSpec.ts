/** A linear map of a block: its shape, its buffers, and the WGSL of its sums and of the steps behind them. */
import { isBlockFormat, type BlockFormat } from '../blockFormats/blockFormats.ts';
import type { FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { blockCodes } from '../frozenMatrix/blockWgsl.ts';
import { matrixLoad } from '../frozenMatrix/wgsl.ts';
import { lines, shifted, VECTOR_PARTS } from '../shared/vectors.ts';
import type { RowRange } from '../frozenMatrix/layout.ts';
import { halfLoad, halfMatrix, halfRowScale, halfSum } from './halfProduct.ts';
import { INTEGER_FUNCTIONS, integerRowScale, integerSum } from './integerProduct.ts';
import { GATE_CODE, VECTORS, type LinearCode, type Sum } from './linearCode.ts';
import { factorsDeclaration, lowRankSums, pairFactors, type LowRankSpec } from './lowRank.ts';
import type { DecodeProducts } from './productKinds.ts';
import { matrixInput, type Declaration } from './program.ts';
import { ROUNDING } from './rounding.ts';
import { LIST } from './rows.ts';

export interface LinearSpec {
  readonly label: string;
  readonly inputs: number;
  /** The number of columns of the output; for a gated unit the gate's and the up's together. */
  readonly outputs: number;
  /** The layout of the matrix: `nn` is [inputs, outputs], `nt` is [outputs, inputs]. */
  readonly layout: 'nn' | 'nt';
  readonly format: FrozenFormat;
  /** The products; `int8` needs a `nt` matrix in a block format. */
  readonly products: DecodeProducts;
  /** The rows of an `nt` matrix that are bound, if not all are; it excludes a gated unit. */
  readonly block: RowRange | null;
  /** The epsilon of the RMSNorm before the map, or null for none. */
  readonly normEpsilon: number | null;
  /** The number that is added to the norm's γ. */
  readonly normShift: number;
  readonly bias: boolean;
  /** The last step: `residual` adds to the output's contents, a gated unit writes act(gate) ⊙ up, and `relu` replaces negative values by 0. */
  readonly epilogue: 'store' | 'residual' | 'swiglu' | 'geglu' | 'relu';
  /** The factor on what is stored or added; 1 for other last steps. */
  readonly scale: number;
  /** An adapter that is not merged into the matrix; its `projectionKernel` must have run. */
  readonly lowRank: LowRankSpec | null;
}

/** A map in f32 with nothing before or behind it, to which a caller adds its name and sizes. */
export const PLAIN_MAP = {
  layout: 'nn',
  format: 'f32',
  products: 'exact',
  block: null,
  normEpsilon: null,
  normShift: 0,
  bias: false,
  epilogue: 'store',
  scale: 1,
  lowRank: null,
} as const satisfies Omit<LinearSpec, 'label' | 'inputs' | 'outputs'>;

const isGated = (epilogue: LinearSpec['epilogue']): epilogue is keyof typeof GATE_CODE =>
  epilogue in GATE_CODE;

/** The number of columns in the output's rows; those of `nt` are rounded up to whole vectors. */
export function outputWidth({ outputs, epilogue }: LinearSpec): number {
  return isGated(epilogue) ? outputs / 2 : Math.ceil(outputs / 4) * 4;
}

/** The bindings: list, x, matrix, y, then gamma with a norm or the views of the rounded x, bias with one, factors with an adapter. */
function linearDeclarations({ format, products, normEpsilon, bias, lowRank }: LinearSpec): Declaration[] {
  const norm: Declaration[] = normEpsilon === null ? [] : [['gamma', 'array<vec4f>', 'read']];
  return [
    LIST,
    ['x', 'array<vec4f>', 'read'],
    products === 'f16' ? halfMatrix(format) : matrixInput(format),
    ['y', 'array<vec4f>', 'write'],
    ...(products === 'exact' ? norm : ROUNDING[products].views),
    ...(bias ? [['bias', 'array<vec4f>', 'read'] as const] : []),
    ...(lowRank ? [factorsDeclaration(pairFactors(lowRank))] : []),
  ];
}

/** The products of a matrix where `wanted` are wanted. */
export const productsOf = (
  wanted: DecodeProducts,
  { format, layout }: Pick<LinearSpec, 'format' | 'layout'>,
): DecodeProducts => (wanted === 'int8' && !(layout === 'nt' && isBlockFormat(format)) ? 'exact' : wanted);

function codesOf({ label, format, layout }: LinearSpec): BlockFormat {
  if (isBlockFormat(format) && layout === 'nt') return format;
  throw new Error(
    `${label}: products in 8 bits need a matrix [out, in] in one of GGUF's block formats; this one is ${layout} in ${format}.`,
  );
}

/** The part of a map's code that its products decide. */
interface ProductCode {
  readonly product: Sum;
  /** WGSL functions that read the matrix. */
  readonly reading: string;
  /** WGSL of the scale of a row's norm, where the kernel that rounds x has computed it; else null. */
  readonly normScale: ((row: string, inputs: number) => string) | null;
}

/** @throws Error if products are to be of whole numbers and the matrix has none. */
export function linearCode(spec: LinearSpec): LinearCode {
  const { label, inputs, outputs, layout, format, block, normEpsilon, bias, epilogue, scale, lowRank } = spec;
  const { products } = spec;
  const gate = isGated(epilogue) ? GATE_CODE[epilogue] : null;
  const vectors = gate ? 2 : 1;
  const width = outputWidth(spec) / 4;
  const first = block?.firstRow ?? 0;
  const rows = block?.rows ?? outputs;
  const columnOf = (j: number): string => (j === 0 ? 'column' : `(column + ${width}u)`);

  const matrixRow = (j: number, c: number): string =>
    `min(${columnOf(j)} * 4u + ${c}u - ${first}u, ${rows - 1}u)`;
  const vector = products === 'f16' ? 'vec4<f16>' : 'vec4f';
  const fetchVectors = (kk: string, j: number): string =>
    layout === 'nn'
      ? lines(4, (i) => `let b${j}_${i} = fetch((${kk} * 4u + ${i}u) * ${outputs / 4}u + ${columnOf(j)});`)
      : `
    ${lines(4, (c) => `let t${j}_${c} = fetch(${matrixRow(j, c)} * ${inputs / 4}u + ${kk});`)}
    ${lines(4, (i) => `let b${j}_${i} = ${vector}(${[0, 1, 2, 3].map((c) => `t${j}_${c}.${VECTOR_PARTS[i]}`).join(', ')});`)}`;

  const value = (sum: (j: number) => string, j: number): string =>
    bias ? `(${sum(j)} + bias[${columnOf(j)}])` : `(${sum(j)})`;
  const finish = (row: string, sum: (j: number) => string): string => {
    const target = `y[(${row}) * ${width}u + column]`;
    if (gate) return `${target} = act(${value(sum, 0)}) * ${value(sum, 1)};`;
    if (epilogue === 'relu') return `${target} = max(${value(sum, 0)}, vec4f());`;
    const scaled = scale === 1 ? value(sum, 0) : `${value(sum, 0)} * ${scale}`;
    return epilogue === 'residual' ? `${target} += ${scaled};` : `${target} = ${scaled};`;
  };

  const vectorSum: Sum = {
    kind: VECTORS,
    targets: Array.from({ length: vectors }, (_, j) => j),
    declare: '',
    steps: `${inputs / 4}u`,
    rowAt: (row) => `${row} * ${inputs / 4}u`,
    factor: null,
    normed: normEpsilon !== null,
    shared: true,
    fetch: (kk) => lines(vectors, (j) => fetchVectors(kk, j)),
  };
  const { product, reading, normScale } = ((): ProductCode => {
    switch (products) {
      case 'exact':
        return { product: vectorSum, reading: matrixLoad('fetch', 'matrix', format), normScale: null };
      case 'f16':
        return {
          product: { ...vectorSum, ...halfSum(inputs) },
          reading: halfLoad('fetch', format),
          normScale: halfRowScale,
        };
      case 'int8': {
        const codes = codesOf(spec);
        return {
          product: integerSum({ inputs, format: codes }, vectors, matrixRow),
          reading: `${blockCodes('matrix', codes)}${INTEGER_FUNCTIONS}`,
          normScale: integerRowScale,
        };
      }
    }
  })();
  return {
    label,
    directives: products === 'f16' ? 'enable f16;' : '',
    declarations: linearDeclarations(spec),
    functions: `${reading}\n${gate ?? ''}\n${lowRank ? pairFactors(lowRank).functions : ''}`,
    inputs,
    vectors,
    columns: gate ? width : Math.ceil(rows / 4),
    firstColumn: first / 4,
    gamma: shifted('gamma[kk]', spec.normShift),
    sums: lowRank ? [product, ...lowRankSums(lowRank, vectors, width)] : [product],
    scaleEpsilon: normScale ? null : normEpsilon,
    rowScale: normScale && normEpsilon !== null ? (row) => normScale(row, inputs) : null,
    finish,
    rowWork: (inputs + (lowRank?.rank ?? 0)) * rows,
  };
}
