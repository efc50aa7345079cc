/**
 * Products in whole numbers of 8 bits, as llama.cpp's (ggml's Q8_1 activations): a row of x is cut into blocks of 32 numbers, each of
 * which is rounded to a whole number of −127 … 127 times the block's scale. Four of them and four codes of a matrix in one of GGUF's
 * block formats are one integer product (`dot4I8Packed`). Sums over 16 elements, which share the matrix's scale, are exact; they are
 * multiplied by both scales and added up in f32.
 *
 * |x̂ − x| ≤ max |block| / 254, so an output is at most Σ over blocks of (max |x| of the block / 254) · Σ |w| from that of `exact`.
 */
import type { BlockFormat } from '../blockFormats/blockFormats.ts';
import { hasOffset } from '../frozenMatrix/blockWgsl.ts';
import { lines, range, shifted } from '../shared/vectors.ts';
import type { Sum, SumKind } from './linearCode.ts';
import type { RoundingSpec } from './productKinds.ts';
import { kindsOf, type DecodeKernel, type Declaration } from './program.ts';
import { LIST, listCode } from './rows.ts';

/** The elements of x that share a scale. */
const BLOCK = 32;
/** A block takes three vectors of four words: two of codes, then scale, scale · Σ codes of each half, and the scale of the row's norm. */
const BLOCK_VECTORS = 3;

/** The vectors of four words that a row of so many numbers takes. */
export const codeVectors = (inputs: number): number => (inputs / BLOCK) * BLOCK_VECTORS;

const INVOCATIONS = 64;

/**
 * Makes the kernel that rounds each row of x to codes; an invocation takes a block. A row with a number that is not finite gets such a
 * scale. Bindings: list, x, codes, then gamma with a norm. Inputs must be whole blocks of 32.
 */
export function quantizeKernel({ inputs, normEpsilon, normShift }: RoundingSpec): DecodeKernel {
  const declarations: Declaration[] = [
    LIST,
    ['x', 'array<vec4f>', 'read'],
    ['codes', 'array<vec4u>', 'write'],
    ...(normEpsilon === null ? [] : [['gamma', 'array<vec4f>', 'read'] as const]),
  ];
  const vectors = inputs / 4;
  const blocks = inputs / BLOCK;
  const parts = range(BLOCK / 4);
  const gamma = (i: number): string =>
    normEpsilon === null ? '' : ` * ${shifted(`gamma[block * 8u + ${i}u]`, normShift)}`;
  const total = (words: string): string =>
    ['x', 'y', 'z', 'w'].map((part) => `dot4I8Packed(${words}.${part}, 0x01010101u)`).join(' + ');
  const rowScale = /* wgsl */ `var squares = 0.0;
  for (var i = 0u; i < ${vectors}u; i++) { let raw = x[row * ${vectors}u + i]; squares += dot(raw, raw); }
  let rowScale = inverseSqrt(squares / ${inputs}.0 + ${normEpsilon});`;
  return {
    label: 'round to 8 bits',
    code: /* wgsl */ `${listCode(declarations)}
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / ${blocks}u;
  let block = id.x % ${blocks}u;
  if (row >= list.count) { return; }
  ${normEpsilon === null ? 'let rowScale = 1.0;' : rowScale}
  let at = row * ${vectors}u + block * 8u;
  var highest = vec4u();
  // Bits without the sign are in the order of the numbers, with those that are not finite at the end, which max of floats may drop.
  ${lines(parts.length, (i) => `let v${i} = x[at + ${i}u]${gamma(i)}; highest = max(highest, bitcast<vec4u>(v${i}) & vec4u(0x7fffffffu));`)}
  let largest = bitcast<f32>(max(max(highest.x, highest.y), max(highest.z, highest.w)));
  let scale = largest / 127.0;
  let inverse = select(0.0, 127.0 / largest, largest > 0.0);
  ${lines(parts.length, (i) => `let word${i} = pack4xI8Clamp(vec4i(round(v${i} * inverse)));`)}
  let first = vec4u(word0, word1, word2, word3);
  let second = vec4u(word4, word5, word6, word7);
  let totals = vec2f(f32(${total('first')}), f32(${total('second')}));
  codes[id.x * ${BLOCK_VECTORS}u] = first;
  codes[id.x * ${BLOCK_VECTORS}u + 1u] = second;
  codes[id.x * ${BLOCK_VECTORS}u + 2u] = bitcast<vec4u>(vec4f(scale, scale * totals, rowScale));
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [Math.ceil((rows * blocks) / INVOCATIONS)],
  };
}

export const CODES: Declaration = ['codes', 'array<vec4u>', 'read'];

/** WGSL: half a block of a row's codes, their scale, and scale · Σ codes. */
export const INTEGER_FUNCTIONS = /* wgsl */ `
struct RowCodes { bytes: vec4u, scale: f32, total: f32 }
fn rowCodes(at: u32, step: u32) -> RowCodes {
  let block = at + step / 2u * ${BLOCK_VECTORS}u;
  let factors = bitcast<vec4f>(codes[block + 2u]);
  return RowCodes(codes[block + (step & 1u)], factors.x, select(factors.y, factors.z, (step & 1u) != 0u));
}
fn dot16(a: vec4u, b: vec4u) -> i32 {
  return dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}`;

/** WGSL of the scale of a row's RMSNorm. */
export const integerRowScale = (row: string, inputs: number): string =>
  `bitcast<f32>(codes[(${row}) * ${codeVectors(inputs)}u + 2u].w)`;

/**
 * The sum over x·W of a map with `vectors` vectors of columns, in steps of 16 k. `row` is WGSL of the matrix's row for column c of vector
 * j.
 */
export function integerSum(
  { inputs, format }: { readonly inputs: number; readonly format: BlockFormat },
  vectors: number,
  row: (j: number, c: number) => string,
): Sum {
  const columns = range(4);
  const all = (name: string, j: number, rest: string): string =>
    columns.map((c) => `${name}${j}_${c}${rest}`).join(', ');
  const fetchVectors = (kk: string, j: number): string => /* wgsl */ `
    ${lines(4, (c) => `let m${j}_${c} = ${row(j, c)} * ${inputs / 4}u + 4u * ${kk};`)}
    ${lines(4, (c) => `let b${j}_${c} = vec4u(${columns.map((i) => `codesAt(m${j}_${c} + ${i}u)`).join(', ')});`)}
    ${lines(4, (c) => `let f${j}_${c} = factorsAt(m${j}_${c});`)}
    let scales${j} = vec4f(${all('f', j, '.x')});
    ${hasOffset(format) ? `let offsets${j} = vec4f(${all('f', j, '.y')});` : ''}`;
  const kind: SumKind = {
    load: (at) => `rowCodes(${at}, kk)`,
    multiply: (sum, a, j) => {
      const whole = `vec4i(${columns.map((c) => `dot16(${a}.bytes, b${j}_${c})`).join(', ')})`;
      const before = hasOffset(format) ? `fma(offsets${j}, vec4f(${a}.total), ${sum})` : sum;
      return `fma(vec4f(${whole}), scales${j} * ${a}.scale, ${before})`;
    },
  };
  return {
    kind,
    targets: range(vectors),
    declare: '',
    steps: `${inputs / 16}u`,
    rowAt: (of) => `${of} * ${codeVectors(inputs)}u`,
    factor: null,
    normed: false,
    shared: false,
    fetch: (kk) => lines(vectors, (j) => fetchVectors(kk, j)),
  };
}
