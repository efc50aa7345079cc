/**
 * Products of half floats: four numbers of a row of x and four of a matrix in any format are rounded to f16, multiplied and summed up in
 * f16, and such sums are added up in f32. Each row of x is divided by a power of two before, so that its largest number has a size of 16 …
 * 32, and the sum over all of it is multiplied by that in f32.
 *
 * f16 has 11 bits, and WGSL lets a GPU round to either neighbour, so by at most 2⁻¹⁰ of what is rounded: x, w, a product, and up to three
 * sums. An output is therefore at most 6 · 2⁻¹⁰ · Σ |x|·|w| from that of `exact`. Four products with |w| ≤ 511 never overflow, however large
 * x is. A GPU may take what is below 2⁻¹⁴ for zero: a weight, and numbers and products of x below 2⁻¹⁸ of the row's largest.
 */
import type { FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { matrixLoad } from '../frozenMatrix/wgsl.ts';
import { shifted, VECTOR_PARTS } from '../shared/vectors.ts';
import type { Sum, SumKind } from './linearCode.ts';
import type { RoundingSpec } from './productKinds.ts';
import { kindsOf, matrixInput, type DecodeKernel, type Declaration } from './program.ts';
import { LIST, listCode } from './rows.ts';

/** A row takes a pair of words for each four numbers, and a last one for the scales of the row and of its norm. */
const rowPairs = (inputs: number): number => inputs / 4 + 1;

/** The words that the halves of a row of so many numbers take. */
export const halfWords = (inputs: number): number => 2 * rowPairs(inputs);

const INVOCATIONS = 64;

/**
 * Makes the kernel that rounds each row of x to halves; a workgroup takes a row. A row with a number that is not finite gets such a scale.
 * Bindings: list, x, codes, then gamma with a norm. Inputs must be whole vectors of 4.
 */
export function halvesKernel({ inputs, normEpsilon, normShift }: RoundingSpec): DecodeKernel {
  const declarations: Declaration[] = [
    LIST,
    ['x', 'array<vec4f>', 'read'],
    ['codes', 'array<vec2u>', 'write'],
    ...(normEpsilon === null ? [] : [['gamma', 'array<vec4f>', 'read'] as const]),
  ];
  const vectors = inputs / 4;
  const gamma = normEpsilon === null ? '' : ` * ${shifted('gamma[i]', normShift)}`;
  return {
    label: 'round to 16 bits',
    code: /* wgsl */ `${listCode(declarations)}
var<workgroup> highests: array<u32, ${INVOCATIONS}>;
var<workgroup> squares: array<f32, ${INVOCATIONS}>;
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = group.x;
  if (row >= list.count) { return; }
  let first = row * ${vectors}u;
  var highest = 0u;
  var square = 0.0;
  for (var i = lane; i < ${vectors}u; i += ${INVOCATIONS}u) {
    let raw = x[first + i];
    // Bits without the sign are in the order of the numbers, with those that are not finite at the end, which max of floats may drop.
    let bits = bitcast<vec4u>(raw${gamma}) & vec4u(0x7fffffffu);
    highest = max(highest, max(max(bits.x, bits.y), max(bits.z, bits.w)));
    square += dot(raw, raw);
  }
  highests[lane] = highest;
  squares[lane] = square;
  workgroupBarrier();
  square = 0.0;
  for (var l = 0u; l < ${INVOCATIONS}u; l++) {
    highest = max(highest, highests[l]);
    square += squares[l];
  }
  // The scale is the power of two 4 below that of the largest number, and no subnormal one.
  let exponent = max(highest >> 23u, 5u) - 4u;
  let inverse = bitcast<f32>((254u - exponent) << 23u);
  let to = row * ${rowPairs(inputs)}u;
  for (var i = lane; i < ${vectors}u; i += ${INVOCATIONS}u) {
    let v = x[first + i]${gamma} * inverse;
    codes[to + i] = vec2u(pack2x16float(v.xy), pack2x16float(v.zw));
  }
  if (lane > 0u) { return; }
  let scale = select(exponent << 23u, highest, highest >= 0x7f800000u);
  let rowScale = ${normEpsilon === null ? '1.0' : `inverseSqrt(square / ${inputs}.0 + ${normEpsilon})`};
  codes[to + ${vectors}u] = vec2u(scale, bitcast<u32>(rowScale));
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [rows],
  };
}

/** The two views of the rounded rows: wgpu has no `bitcast` to half floats. */
export const HALVES: readonly Declaration[] = [
  ['halves', 'array<vec4<f16>>', 'read'],
  ['scales', 'array<vec2f>', 'read'],
];

const scaleOf = (row: string, inputs: number, part: 'x' | 'y'): string =>
  `scales[(${row}) * ${rowPairs(inputs)}u + ${inputs / 4}u].${part}`;

/** WGSL of the scale of a row's RMSNorm. */
export const halfRowScale = (row: string, inputs: number): string => scaleOf(row, inputs, 'y');

/** The binding of a matrix whose numbers are to be half floats. */
export const halfMatrix = (format: FrozenFormat): Declaration =>
  format === 'f16' ? ['matrix', 'array<vec4<f16>>', 'read'] : matrixInput(format);

/** `fn load(at: u32) -> vec4<f16>`: elements 4·at … 4·at + 3 of the matrix. */
export function halfLoad(load: string, format: FrozenFormat): string {
  const head = `fn ${load}(at: u32) -> vec4<f16>`;
  return format === 'f16'
    ? `${head} { return matrix[at]; }`
    : `${matrixLoad('wide', 'matrix', format)}
${head} { return vec4<f16>(wide(at)); }`;
}

/** Four k of a row in a step, whose sum is widened. */
const KIND: SumKind = {
  load: (at) => `halves[${at} + kk]`,
  multiply: (sum, a, j) => {
    const [first = '', ...rest] = VECTOR_PARTS.map((part) => `vec4<f16>(${a}.${part})`);
    const inner = rest.reduce(
      (inner, factor, i) => `fma(${factor}, b${j}_${i + 1}, ${inner})`,
      `${first} * b${j}_0`,
    );
    return `${sum} + vec4f(${inner})`;
  },
};

/** Makes the parts of the sum over x·W that differ from those of `VECTORS`; its operands are theirs, in f16. */
export const halfSum = (inputs: number): Pick<Sum, 'kind' | 'rowAt' | 'factor' | 'normed' | 'shared'> => ({
  kind: KIND,
  rowAt: (row) => `${row} * ${rowPairs(inputs)}u`,
  factor: (row) => scaleOf(row, inputs, 'x'),
  normed: false,
  shared: false,
});
