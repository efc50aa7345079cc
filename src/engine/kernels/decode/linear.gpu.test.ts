/** Linear maps of decoding against float64, every plan and format, odd shapes; in blocks, and rows that do not see each other. */
import { describe, expect, test } from 'vitest';
import { casesOf, decodePlan, decodePlans, everyCase } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { farthest, inputsOf, runLinear, SMALL_MAP, type LinearCase } from '../../testing/decodeLinear.ts';
import { freshInputs } from '../testing/random.ts';
import { wordBytes } from '../frozenMatrix/layout.ts';
import { outputWidth } from './linearSpec.ts';
import type { DecodePlan } from './program.ts';

const gpu = testDevice();

const base = SMALL_MAP;
const rowsFirst = { ...base, layout: 'nt' } as const;

const CASES: readonly LinearCase[] = [
  { spec: base, rows: 1 },
  { spec: { ...base, normEpsilon: 1e-5, bias: true }, rows: 9 },
  { spec: { ...base, inputs: 176, outputs: 64, epilogue: 'residual' }, rows: 13 },
  { spec: { ...base, inputs: 68, outputs: 12, epilogue: 'residual', bias: true, format: 'f16' }, rows: 3 },
  { spec: { ...base, inputs: 20, outputs: 72, epilogue: 'swiglu', normEpsilon: 1e-6 }, rows: 8 },
  { spec: { ...base, inputs: 40, outputs: 40, epilogue: 'swiglu', bias: true, format: 'f16' }, rows: 5 },
  { spec: { ...rowsFirst, inputs: 64, outputs: 29, normEpsilon: 1e-5 }, rows: 10 },
  { spec: { ...rowsFirst, inputs: 28, outputs: 131, normEpsilon: 1e-5, format: 'f16' }, rows: 2 },
  { spec: { ...rowsFirst, inputs: 36, outputs: 40, format: 'bf16', epilogue: 'residual' }, rows: 17 },
  {
    spec: { ...rowsFirst, inputs: 32, outputs: 64, format: 'q8_0', epilogue: 'swiglu', bias: true },
    rows: 6,
  },
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
    spec: { ...rowsFirst, inputs: 32, outputs: 64, format: 'q8_0', normEpsilon: 1e-5, bias: true },
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
    spec: { ...rowsFirst, inputs: 64, outputs: 40, format: 'q4_1', epilogue: 'swiglu', normEpsilon: 1e-5 },
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
  // Gate and up with one part for both.
  {
    spec: { ...rowsFirst, outputs: 40, epilogue: 'swiglu', normEpsilon: 1e-5 },
    rows: 24,
    adapter: { rank: 4, parts: [[0, 40]] },
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
const FEW = CASES.filter(({ rows }) => [9, 3, 8, 2, 6, 15, 19, 18, 1, 11, 21, 22, 24].includes(rows)).slice(
  1,
);

/**
 * Formats, epilogues and adapters have the same code under every plan: on a software adapter its first plan goes through all of it. Barriers make `groups`,
 * the plan for hardware, slow there: its rows are held to float64 once, below.
 */
const FEW_ROWS: Readonly<Record<DecodePlan, readonly number[]>> = { quads: [], items: [3, 6], groups: [] };
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
  const few = FEW.filter(({ rows }) => plan === decodePlan || FEW_ROWS[plan].includes(rows));
  test.each(casesOf(CASES, few))('$rows rows, %#: the numbers of float64', async (one) => {
    const { rows } = one;
    const random = freshInputs();
    const inputs = inputsOf(one, random);
    const { worst, bound } = farthest((await runLinear(gpu.device, rows, plan, inputs)).y, rows, inputs);
    expect(worst, `seed ${random.seed}`).toBeLessThan(bound);
  });

  test.skipIf(plan !== decodePlan && !everyCase)('a matrix in blocks gives the same bits', async () => {
    const one: LinearCase = {
      spec: { ...rowsFirst, inputs: 96, outputs: 71, format: 'q4_0', normEpsilon: 1e-5 },
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
    const { y: whole } = await runLinear(gpu.device, one.rows, plan, inputs);
    let { y } = inputs;
    for (const [firstRow, rows] of [
      [0, 48],
      [48, 23],
    ] as const) {
      const wordsTo = (row: number): number => wordBytes('q4_0', row * 96) / 4;
      const words = inputs.matrix.words.slice(wordsTo(firstRow), wordsTo(firstRow + rows));
      const spec = { ...inputs.spec, block: { firstRow, rows } };
      const block = { ...inputs, spec, y, matrix: { ...inputs.matrix, words } };
      ({ y } = await runLinear(gpu.device, one.rows, plan, block));
    }
    expect(y, `seed ${random.seed}`).toEqual(whole);
  });

  test('a row has the numbers of float64, the same to the bit alone and among 2 to 40', async () => {
    const one: LinearCase = {
      spec: { ...base, inputs: 72, outputs: 48, epilogue: 'swiglu', normEpsilon: 1e-5 },
      rows: 40,
      adapter: { rank: 8, parts: [[0, 24]] },
    };
    const random = freshInputs();
    const inputs = inputsOf(one, random);
    const { y: whole } = await runLinear(gpu.device, 40, plan, inputs);
    const { worst, bound } = farthest(whole, 40, inputs);
    expect(worst, `seed ${random.seed}`).toBeLessThan(bound);
    const width = outputWidth(inputs.spec);
    for (const [first, rows] of casesOf(PARTS, plan === 'groups' ? PARTS.slice(-2) : PARTS)) {
      const x = new Float32Array(inputs.x.length);
      x.set(inputs.x.subarray(first * 72, (first + rows) * 72));
      const { y: alone } = await runLinear(gpu.device, rows, plan, {
        ...inputs,
        x,
        y: new Float32Array(rows * width),
      });
      expect(alone, `seed ${random.seed}`).toEqual(whole.slice(first * width, (first + rows) * width));
    }
  });
});
