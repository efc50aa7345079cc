/** Linear maps of decoding against float64, every plan and format, odd shapes; in blocks, and rows that do not see each other. */
import { describe, expect, test } from 'vitest';
import { worstDifference } from '../../testing/accuracy.ts';
import { casesOf, decodePlans, everyCase } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { rowList, runKernel, type KernelData } from '../../testing/gpuKernel.ts';
import { randomWords } from '../testing/frozen.ts';
import { freshInputs, type RandomInputs } from '../testing/random.ts';
import {
  gemmReference,
  rmsNormReference,
  gegluReference,
  swigluReference,
  inRows,
  transposed,
} from '../testing/reference.ts';
import type { FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { linearKernel, projectionKernel } from './linear.ts';
import { outputWidth, type LinearSpec } from './linearSpec.ts';
import { projectionVectors } from './lowRank.ts';
import type { DecodePlan } from './program.ts';

const gpu = testDevice();

/** Columns that an adapter is for: first and number. */
type Adapted = readonly (readonly [column: number, columns: number])[];

interface Case {
  readonly spec: Omit<LinearSpec, 'label' | 'lowRank'>;
  readonly rows: number;
  readonly adapter?: { readonly rank: number; readonly parts: Adapted };
}

/** The offset of x·A in rows: x has room for some more rows than there are. */
const ROOM = 3;
const SCALE = 1.5;

/** The whole spec, and the factors of its adapter. */
function adapted({ spec, rows, adapter }: Case, random: RandomInputs) {
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
  const lowRank = adapter && parts ? { rank: adapter.rank, scale: SCALE, parts, at } : null;
  const whole: LinearSpec = { label: 'test', ...spec, lowRank };
  return { spec: whole, factors: Float32Array.from(factors) };
}

function randomMatrix(format: FrozenFormat, size: number, random: RandomInputs) {
  const { words, scales, values } = randomWords(random, format, size);
  return {
    words: new Uint32Array(words.slice().buffer),
    scales: scales && Float32Array.from(scales),
    values,
  };
}

function inputsOf(one: Case, random: RandomInputs) {
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

type Inputs = ReturnType<typeof inputsOf>;

function referenceOf(rows: number, { spec, x, matrix, y, gamma, bias, factors }: Inputs): Float64Array {
  const { inputs: k, outputs: n, layout, normEpsilon, epilogue, lowRank } = spec;
  const wide = Float64Array.from(x.slice(0, rows * k));
  const normed =
    normEpsilon === null
      ? wide
      : rmsNormReference(wide, Float64Array.from(gamma), normEpsilon, spec.normShift);
  const product = gemmReference(
    { m: rows, n, k },
    inRows(normed, k),
    layout === 'nn' ? inRows(matrix.values, n) : transposed(inRows(matrix.values, k)),
  ).map((value, i) => value + (spec.bias ? (bias[i % n] ?? NaN) : 0));
  for (const { column, columns, a, b } of lowRank?.parts ?? []) {
    const rank = lowRank?.rank ?? 0;
    const left = gemmReference({ m: rows, n: rank, k }, inRows(normed, k), inRows(factors, rank, a));
    gemmReference({ m: rows, n: columns, k: rank }, inRows(left, rank), inRows(factors, columns, b)).forEach(
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

async function run(rows: number, plan: DecodePlan, inputs: Inputs): Promise<Float32Array<ArrayBuffer>> {
  const { spec, matrix, gamma, bias, factors } = inputs;
  const list = rowList(rows, () => ({}));
  const norm = spec.normEpsilon === null ? [] : [gamma];
  let { x } = inputs;
  if (spec.lowRank) {
    const before = {
      label: 'test',
      inputs: spec.inputs,
      norm: norm.length > 0,
      normShift: spec.normShift,
      lowRank: spec.lowRank,
    };
    const found = await runKernel(
      gpu.device,
      projectionKernel(before, plan),
      [list, x, factors, ...norm],
      rows,
    );
    x = new Float32Array(found[1] ?? new ArrayBuffer(0));
  }
  const { words, scales } = matrix;
  const data: KernelData[] = [list, x, words, ...(scales ? [scales] : []), inputs.y, ...norm];
  if (spec.bias) data.push(bias);
  if (spec.lowRank) data.push(factors);
  const results = await runKernel(gpu.device, linearKernel(spec, plan), data, rows);
  return new Float32Array(results[scales ? 4 : 3] ?? new ArrayBuffer(0));
}

/** Returns how far the results are from float64, and the tolerance. */
function farthest(actual: Float32Array<ArrayBuffer>, rows: number, inputs: Inputs) {
  const { epilogue, outputs } = inputs.spec;
  const expected = referenceOf(rows, inputs);
  const width = outputWidth(inputs.spec);
  const columns = epilogue === 'swiglu' || epilogue === 'geglu' ? width : outputs;
  const real = Array.from(expected, (_, i) => i).filter((i) => i % width < columns);
  const largest = Math.max(...expected.map(Math.abs));
  return { worst: worstDifference(actual, expected, real), bound: 3e-6 * Math.max(1, largest) };
}

const base: Case['spec'] = {
  inputs: 24,
  outputs: 20,
  layout: 'nn',
  format: 'f32',
  block: null,
  normEpsilon: null,
  normShift: 0,
  bias: false,
  epilogue: 'store',
  scale: 1,
};
const rowsFirst = { ...base, layout: 'nt' } as const;

const CASES: readonly Case[] = [
  { spec: base, rows: 1 },
  { spec: { ...base, normEpsilon: 1e-5, bias: true }, rows: 9 },
  { spec: { ...base, inputs: 176, outputs: 64, epilogue: 'residual' }, rows: 13 },
  { spec: { ...base, inputs: 68, outputs: 12, epilogue: 'residual', bias: true, format: 'f16' }, rows: 3 },
  { spec: { ...base, inputs: 20, outputs: 72, epilogue: 'swiglu', normEpsilon: 1e-6 }, rows: 8 },
  { spec: { ...base, inputs: 40, outputs: 40, epilogue: 'swiglu', bias: true, format: 'f16' }, rows: 5 },
  { spec: { ...rowsFirst, inputs: 64, outputs: 29, normEpsilon: 1e-5 }, rows: 10 },
  { spec: { ...rowsFirst, inputs: 28, outputs: 131, normEpsilon: 1e-5, format: 'f16' }, rows: 2 },
  { spec: { ...rowsFirst, inputs: 36, outputs: 40, format: 'bf16', epilogue: 'residual' }, rows: 17 },
  { spec: { ...rowsFirst, inputs: 28, outputs: 64, format: 'q8', epilogue: 'swiglu', bias: true }, rows: 6 },
  { spec: { ...rowsFirst, inputs: 20, outputs: 37, format: 'q4', normEpsilon: 1e-6 }, rows: 7 },
  { spec: { ...rowsFirst, inputs: 96, outputs: 37, format: 'q5_0', normEpsilon: 1e-6 }, rows: 15 },
  {
    spec: { ...rowsFirst, inputs: 256, outputs: 24, format: 'q4_k', epilogue: 'swiglu', bias: true },
    rows: 14,
  },
  { spec: { ...rowsFirst, inputs: 256, outputs: 20, format: 'q6_k', epilogue: 'residual' }, rows: 12 },
  { spec: { ...rowsFirst, outputs: 40, epilogue: 'geglu', normEpsilon: 1e-6, normShift: 1 }, rows: 21 },
  { spec: { ...rowsFirst, inputs: 36, outputs: 40, epilogue: 'residual', scale: 0.22 }, rows: 22 },
  { spec: { ...rowsFirst, outputs: 29, normEpsilon: 1e-6, normShift: 1, scale: 0.125 }, rows: 23 },
  // q, k and v, with parts that are no whole quads; without k; gate and up; up alone; a head.
  {
    spec: { ...rowsFirst, inputs: 28, outputs: 40, format: 'bf16', normEpsilon: 1e-5, bias: true },
    rows: 19,
    adapter: {
      rank: 6,
      parts: [
        [0, 24],
        [24, 8],
        [32, 8],
      ],
    },
  },
  {
    spec: { ...rowsFirst, inputs: 20, outputs: 64, format: 'q8', normEpsilon: 1e-5, bias: true },
    rows: 4,
    adapter: {
      rank: 8,
      parts: [
        [0, 32],
        [48, 16],
      ],
    },
  },
  {
    spec: { ...rowsFirst, inputs: 24, outputs: 40, format: 'q4', epilogue: 'swiglu', normEpsilon: 1e-5 },
    rows: 18,
    adapter: {
      rank: 5,
      parts: [
        [0, 20],
        [20, 20],
      ],
    },
  },
  {
    spec: { ...rowsFirst, inputs: 24, outputs: 40, epilogue: 'swiglu', bias: true },
    rows: 5,
    adapter: { rank: 4, parts: [[20, 20]] },
  },
  {
    spec: { ...rowsFirst, inputs: 32, outputs: 33, format: 'bf16', normEpsilon: 1e-5 },
    rows: 1,
    adapter: { rank: 17, parts: [[0, 33]] },
  },
  {
    spec: { ...rowsFirst, inputs: 44, outputs: 48, format: 'bf16', epilogue: 'residual' },
    rows: 11,
    adapter: { rank: 32, parts: [[0, 48]] },
  },
];

/** Each epilogue and layout, half precision, and each format and kind of adapter among them. */
const FEW = CASES.filter(({ rows }) => [9, 3, 8, 2, 6, 15, 19, 18, 1, 11, 21, 22].includes(rows)).slice(1);

/**
 * Formats, epilogues and adapters have the same code under every plan: on a software adapter `quads` goes through all of it. Barriers make `groups`,
 * the plan for hardware, slow there: its rows are held to float64 once, below.
 */
const FEW_ROWS: Readonly<Record<'items' | 'groups', readonly number[]>> = { items: [3, 6], groups: [] };
/** Rows that are computed again without the rest of 40: the first of them and their number. The last two represent all where barriers are slow. */
const PARTS = [
  [0, 1],
  [5, 2],
  [3, 4],
  [10, 7],
  [39, 1],
  [8, 9],
] as const;

describe.each(decodePlans)('linear maps of decoding, %s', (plan) => {
  const few = FEW.filter(({ rows }) => plan === 'quads' || FEW_ROWS[plan].includes(rows));
  test.each(casesOf(CASES, few))('$rows rows, %#: the numbers of float64', async (one) => {
    const { rows } = one;
    const random = freshInputs();
    const inputs = inputsOf(one, random);
    const { worst, bound } = farthest(await run(rows, plan, inputs), rows, inputs);
    expect(worst, `seed ${random.seed}`).toBeLessThan(bound);
  });

  test.skipIf(plan !== 'quads' && !everyCase)('a matrix in blocks gives the same bits', async () => {
    const one: Case = {
      spec: { ...rowsFirst, inputs: 28, outputs: 71, format: 'q4', normEpsilon: 1e-5 },
      rows: 6,
      adapter: {
        rank: 8,
        parts: [
          [0, 32],
          [32, 39],
        ],
      },
    };
    const random = freshInputs();
    const inputs = inputsOf(one, random);
    const whole = await run(one.rows, plan, inputs);
    let { y } = inputs;
    for (const [firstRow, rows] of [
      [0, 48],
      [48, 23],
    ] as const) {
      const words = inputs.matrix.words.slice((firstRow * 28) / 8, Math.ceil(((firstRow + rows) * 28) / 8));
      const scales = inputs.matrix.scales?.slice((firstRow * 28) / 64) ?? null;
      const spec = { ...inputs.spec, block: { firstRow, rows } };
      y = await run(one.rows, plan, { ...inputs, spec, y, matrix: { ...inputs.matrix, words, scales } });
    }
    expect(y, `seed ${random.seed}`).toEqual(whole);
  });

  test('a row has the numbers of float64, the same to the bit alone and among 2 to 40', async () => {
    const one: Case = {
      spec: { ...base, inputs: 72, outputs: 48, epilogue: 'swiglu', normEpsilon: 1e-5 },
      rows: 40,
      adapter: { rank: 8, parts: [[0, 24]] },
    };
    const random = freshInputs();
    const inputs = inputsOf(one, random);
    const whole = await run(40, plan, inputs);
    const { worst, bound } = farthest(whole, 40, inputs);
    expect(worst, `seed ${random.seed}`).toBeLessThan(bound);
    const width = outputWidth(inputs.spec);
    for (const [first, rows] of casesOf(PARTS, plan === 'groups' ? PARTS.slice(-2) : PARTS)) {
      const x = new Float32Array(inputs.x.length);
      x.set(inputs.x.subarray(first * 72, (first + rows) * 72));
      const alone = await run(rows, plan, { ...inputs, x, y: new Float32Array(rows * width) });
      expect(alone, `seed ${random.seed}`).toEqual(whole.slice(first * width, (first + rows) * width));
    }
  });
});
