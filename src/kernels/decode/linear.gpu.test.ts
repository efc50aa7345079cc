/** Linear maps of decoding against float64, every plan, odd shapes; and rows that do not see each other. */
import { describe, expect, test } from 'vitest';
import { worstDifference } from '../../testing/accuracy.ts';
import { casesOf } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { rowList, runKernel, type KernelData } from '../../testing/gpuKernel.ts';
import { freshInputs, type RandomInputs } from '../checks/random.ts';
import { gemmReference, rmsNormReference, swigluReference } from '../checks/reference.ts';
import { linearKernel } from './linear.ts';
import { outputWidth, type LinearSpec } from './linearSpec.ts';
import type { DecodePlan } from './program.ts';

const gpu = testDevice();

/** Numbers that a half holds exactly: an eighth of a whole number up to 40, and its bits. */
function halves(
  inputs: RandomInputs,
  size: number,
): { values: Float32Array; words: Uint32Array<ArrayBuffer> } {
  const values = Float32Array.from(inputs.ints(size, 81), (i) => (i - 40) / 8);
  const bits = Uint16Array.from(values, (value) => {
    if (value === 0) return 0;
    const exponent = Math.floor(Math.log2(Math.abs(value)));
    const fraction = (Math.abs(value) / 2 ** exponent - 1) * 1024;
    return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction;
  });
  return { values, words: new Uint32Array(bits.buffer) };
}

interface Case {
  readonly spec: LinearSpec;
  readonly rows: number;
}

function inputsOf({ spec, rows }: Case, random: RandomInputs) {
  const { inputs, outputs, half } = spec;
  const packed = half ? halves(random, inputs * outputs) : null;
  const matrix = packed?.values ?? random.floats(inputs * outputs, 1 / Math.sqrt(inputs));
  return {
    x: Float32Array.from(random.floats(rows * inputs)),
    matrix,
    matrixData: packed?.words ?? Float32Array.from(matrix),
    y: Float32Array.from(random.floats(rows * outputWidth(spec))),
    gamma: Float32Array.from(random.floats(inputs)),
    bias: Float32Array.from(random.floats(outputs)),
  };
}

type Inputs = ReturnType<typeof inputsOf>;

function referenceOf({ spec, rows }: Case, { x, matrix, y, gamma, bias }: Inputs): Float64Array {
  const { inputs: k, outputs: n, layout, normEpsilon, epilogue } = spec;
  const wide = Float64Array.from(x);
  const normed = normEpsilon === null ? wide : rmsNormReference(wide, Float64Array.from(gamma), normEpsilon);
  const product = gemmReference(
    { m: rows, n, k },
    (row, i) => normed[row * k + i] ?? NaN,
    (i, column) => matrix[layout === 'nn' ? i * n + column : column * k + i] ?? NaN,
  ).map((value, i) => value + (spec.bias ? (bias[i % n] ?? NaN) : 0));
  if (epilogue === 'swiglu') {
    const part = (first: number) => product.filter((_, i) => i % n >= first && i % n < first + n / 2);
    return swigluReference(part(0), part(n / 2));
  }
  if (epilogue === 'residual') return product.map((value, i) => value + (y[i] ?? NaN));
  const width = outputWidth(spec);
  const padded = new Float64Array(rows * width);
  product.forEach((value, i) => (padded[Math.floor(i / n) * width + (i % n)] = value));
  return padded;
}

async function run({ spec, rows }: Case, plan: DecodePlan, inputs: Inputs): Promise<Float32Array> {
  const list = rowList(rows, () => ({}));
  const data: KernelData[] = [list, inputs.x, inputs.matrixData, inputs.y];
  if (spec.normEpsilon !== null) data.push(inputs.gamma);
  if (spec.bias) data.push(inputs.bias);
  const results = await runKernel(gpu.device, linearKernel(spec, plan), data, rows);
  return new Float32Array(results[3] ?? new ArrayBuffer(0));
}

const base: LinearSpec = {
  label: 'test',
  inputs: 24,
  outputs: 20,
  layout: 'nn',
  half: false,
  normEpsilon: null,
  bias: false,
  epilogue: 'store',
};

const CASES: readonly Case[] = [
  { spec: base, rows: 1 },
  { spec: { ...base, normEpsilon: 1e-5, bias: true }, rows: 9 },
  { spec: { ...base, inputs: 176, outputs: 64, epilogue: 'residual' }, rows: 13 },
  { spec: { ...base, inputs: 68, outputs: 12, epilogue: 'residual', bias: true, half: true }, rows: 3 },
  { spec: { ...base, inputs: 20, outputs: 72, epilogue: 'swiglu', normEpsilon: 1e-6 }, rows: 8 },
  { spec: { ...base, inputs: 40, outputs: 40, epilogue: 'swiglu', bias: true, half: true }, rows: 5 },
  { spec: { ...base, layout: 'nt', inputs: 64, outputs: 29, normEpsilon: 1e-5 }, rows: 10 },
  { spec: { ...base, layout: 'nt', inputs: 28, outputs: 131, normEpsilon: 1e-5, half: true }, rows: 2 },
];

/** Each epilogue and layout, half precision among them. */
const FEW = CASES.filter(({ rows }) => [9, 3, 8, 2].includes(rows));

describe.each(['quads', 'items', 'groups'] as const)('linear maps of decoding, %s', (plan) => {
  test.each(casesOf(CASES, FEW))('$rows rows, %#: the numbers of float64', async (one) => {
    const random = freshInputs();
    const inputs = inputsOf(one, random);
    const actual = await run(one, plan, inputs);
    const expected = referenceOf(one, inputs);
    const width = outputWidth(one.spec);
    const columns = one.spec.epilogue === 'swiglu' ? width : one.spec.outputs;
    const real = Array.from(expected, (_, i) => i).filter((i) => i % width < columns);
    const largest = Math.max(...expected.map(Math.abs));
    expect(worstDifference(actual, expected, real), `seed ${random.seed}`).toBeLessThan(
      3e-6 * Math.max(1, largest),
    );
  });

  test('a row is the same to the bit alone and among 2 to 40', async () => {
    const spec: LinearSpec = { ...base, inputs: 72, outputs: 96, epilogue: 'swiglu', normEpsilon: 1e-5 };
    const random = freshInputs();
    const inputs = inputsOf({ spec, rows: 40 }, random);
    const whole = await run({ spec, rows: 40 }, plan, inputs);
    const width = outputWidth(spec);
    for (const [first, rows] of [
      [0, 1],
      [39, 1],
      [5, 2],
      [3, 4],
      [10, 7],
      [8, 9],
    ] as const) {
      const part = { ...inputs, x: inputs.x.slice(first * 72, (first + rows) * 72) };
      const alone = await run({ spec, rows }, plan, { ...part, y: new Float32Array(rows * width) });
      expect(alone, `seed ${random.seed}`).toEqual(whole.slice(first * width, (first + rows) * width));
    }
  });
});
