/** Runs linear maps of decoding on random inputs, and computes them in float64. */
import { worstDifference } from './accuracy.ts';
import { rowList, runKernel, type KernelData } from '../kernels/decode/runKernel.ts';
import { linearKernel, projectionKernel } from '../kernels/decode/linear.ts';
import { outputWidth, PLAIN_MAP, type LinearSpec } from '../kernels/decode/linearSpec.ts';
import { projectionVectors } from '../kernels/decode/lowRank.ts';
import { ROUNDING } from '../kernels/decode/rounding.ts';
import type { DecodePlan } from '../kernels/decode/program.ts';
import type { FrozenFormat } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { randomWords } from '../kernels/testing/frozen.ts';
import type { RandomInputs } from '../kernels/testing/random.ts';
import {
  gegluReference,
  gemmReference,
  inRows,
  rmsNormReference,
  swigluReference,
  transposed,
} from '../kernels/testing/reference.ts';

/** Columns that an adapter is for: first and number. */
type Adapted = readonly (readonly [column: number, columns: number])[];

export interface LinearCase {
  readonly spec: Omit<LinearSpec, 'label' | 'lowRank'>;
  readonly rows: number;
  readonly adapter?: { readonly rank: number; readonly parts: Adapted };
}

/** The offset of x·A in rows: x has room for some more rows than there are. */
const ROOM = 3;
const SCALE = 1.5;

/** The whole spec, and the factors of its adapter. */
function adapted({ spec, rows, adapter }: LinearCase, random: RandomInputs) {
  const factors: number[] = [];
  const place = (length: number, spread: number): number => {
    const at = factors.length;
    factors.push(...random.floats(length, spread));
    while (factors.length % 64 !== 0) factors.push(9);
    return at;
  };
  const parts = adapter?.parts.map(([column, columns]) => ({
    column,
    columns,
    a: place(spec.inputs * adapter.rank, 1 / Math.sqrt(spec.inputs)),
    b: place(adapter.rank * columns, 1 / Math.sqrt(adapter.rank)),
  }));
  const at = ((rows + ROOM) * spec.inputs) / 4;
  const lowRank = adapter && parts ? { rank: adapter.rank, scale: SCALE, parts, at, shares: 1 } : null;
  const whole: LinearSpec = { label: 'test', ...spec, lowRank };
  return { spec: whole, factors: Float32Array.from(factors) };
}

function randomMatrix(format: FrozenFormat, size: number, random: RandomInputs) {
  const { words, values } = randomWords(random, format, size);
  return {
    words: new Uint32Array(words.slice().buffer),
    values,
  };
}

export function inputsOf(one: LinearCase, random: RandomInputs) {
  const { rows } = one;
  const { spec, factors } = adapted(one, random);
  const { inputs, outputs, format, lowRank } = spec;
  const behind = lowRank ? 4 * (ROOM * (inputs / 4) + projectionVectors(lowRank) * rows) : 0;
  const x = new Float32Array(rows * inputs + behind);
  x.set(random.floats(rows * inputs));
  return {
    spec,
    x,
    matrix: randomMatrix(format, inputs * outputs, random),
    y: Float32Array.from(random.floats(rows * outputWidth(spec))),
    gamma: Float32Array.from(random.floats(inputs)),
    bias: Float32Array.from(random.floats(Math.ceil(outputs / 4) * 4)),
    factors,
  };
}

export type LinearInputs = ReturnType<typeof inputsOf>;

/** The input of a map's product in float64, after its norm. */
export function leftSide(rows: number, { spec, x, gamma }: LinearInputs): Float64Array {
  const wide = Float64Array.from(x.slice(0, rows * spec.inputs));
  if (spec.normEpsilon === null) return wide;
  return rmsNormReference(wide, Float64Array.from(gamma), spec.normEpsilon, spec.normShift);
}

/** The map in float64. `left` takes the place of its input in the product with the matrix, and not in that with the adapter. */
export function referenceOf(rows: number, inputs: LinearInputs, left = leftSide(rows, inputs)): Float64Array {
  const { spec, matrix, y, bias, factors } = inputs;
  const { inputs: k, outputs: n, layout, epilogue, lowRank } = spec;
  const product = gemmReference(
    { m: rows, n, k },
    inRows(left, k),
    layout === 'nn' ? inRows(matrix.values, n) : transposed(inRows(matrix.values, k)),
  ).map((value, i) => value + (spec.bias ? (bias[i % n] ?? NaN) : 0));
  const normed = leftSide(rows, inputs);
  for (const { column, columns, a, b } of lowRank?.parts ?? []) {
    const rank = lowRank?.rank ?? 0;
    const lower = gemmReference({ m: rows, n: rank, k }, inRows(normed, k), inRows(factors, rank, a));
    gemmReference({ m: rows, n: columns, k: rank }, inRows(lower, rank), inRows(factors, columns, b)).forEach(
      (value, i) => {
        const at = Math.floor(i / columns) * n + column + (i % columns);
        product[at] = (product[at] ?? NaN) + SCALE * value;
      },
    );
  }
  if (epilogue === 'swiglu' || epilogue === 'geglu') {
    const part = (first: number) => product.filter((_, i) => i % n >= first && i % n < first + n / 2);
    return (epilogue === 'swiglu' ? swigluReference : gegluReference)(part(0), part(n / 2));
  }
  if (epilogue === 'residual') return product.map((value, i) => spec.scale * value + (y[i] ?? NaN));
  const width = outputWidth(spec);
  const padded = new Float64Array(rows * width);
  product.forEach((value, i) => (padded[Math.floor(i / n) * width + (i % n)] = spec.scale * value));
  return padded;
}

/** Σ left·|w| for each output of the product with the matrix. */
export const sumOfSizes = (
  rows: number,
  { spec, matrix, ...rest }: LinearInputs,
  left: Float64Array,
): Float64Array =>
  referenceOf(
    rows,
    {
      spec: { ...spec, bias: false, epilogue: 'store', lowRank: null },
      ...rest,
      matrix: { ...matrix, values: matrix.values.map(Math.abs) },
    },
    left,
  );

type Numbers = Float32Array<ArrayBuffer>;

/** Runs the map with all kernels that it needs before. `codes` is its rounded input, empty if its products are exact. */
export async function runLinear(
  device: GPUDevice,
  rows: number,
  plan: DecodePlan,
  inputs: LinearInputs,
): Promise<{ readonly y: Numbers; readonly codes: Uint32Array<ArrayBuffer> }> {
  const { spec, matrix, gamma, bias, factors } = inputs;
  const list = rowList(rows, () => ({}));
  const norm = spec.normEpsilon === null ? [] : [gamma];
  let { x } = inputs;
  if (spec.lowRank) {
    const before = { ...spec, norm: norm.length > 0, lowRank: spec.lowRank };
    const found = await runKernel(device, projectionKernel(before, plan), [list, x, factors, ...norm], rows);
    x = new Float32Array(found[1] ?? new ArrayBuffer(0));
  }
  let codes = new Uint32Array();
  let left: KernelData[] = norm;
  if (spec.products !== 'exact') {
    const { kernel, words, views } = ROUNDING[spec.products];
    const data = [list, x, new Uint32Array(rows * words(spec.inputs)), ...norm];
    const found = await runKernel(device, kernel(spec), data, rows);
    codes = new Uint32Array(found[2] ?? new ArrayBuffer(0));
    left = views.map(() => codes);
  }
  const data: KernelData[] = [list, x, matrix.words, inputs.y, ...left];
  if (spec.bias) data.push(bias);
  if (spec.lowRank) data.push(factors);
  const results = await runKernel(device, linearKernel(spec, plan), data, rows);
  return { y: new Float32Array(results[3] ?? new ArrayBuffer(0)), codes };
}

/** Returns how far the results are from float64, and the tolerance. `left` is that of `referenceOf`. */
export function farthest(actual: Numbers, rows: number, inputs: LinearInputs, left?: Float64Array) {
  const { epilogue, outputs } = inputs.spec;
  const expected = referenceOf(rows, inputs, left);
  const width = outputWidth(inputs.spec);
  const columns = epilogue === 'swiglu' || epilogue === 'geglu' ? width : outputs;
  const real = Array.from(expected, (_, i) => i).filter((i) => i % width < columns);
  const largest = Math.max(...expected.map(Math.abs));
  return { worst: worstDifference(actual, expected, real), bound: 3e-6 * Math.max(1, largest) };
}

/** A plain map of odd sizes. */
export const SMALL_MAP: LinearCase['spec'] = { ...PLAIN_MAP, inputs: 24, outputs: 20 };
