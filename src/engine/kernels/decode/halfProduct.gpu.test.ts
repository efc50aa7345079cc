/**
 * Products of half floats: the halves of activations, and maps against float64, to f32's last bits where f16 has every number, and elsewhere
 * within the bound that `halfProduct.ts` states.
 */
import { describe, expect, test } from 'vitest';
import { adapterHas, casesOf, decodePlans } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import {
  farthest,
  inputsOf,
  leftSide,
  referenceOf,
  runLinear,
  SMALL_MAP,
  sumOfSizes,
  type LinearCase,
  type LinearInputs,
} from '../../testing/decodeLinear.ts';
import { FROZEN_FORMATS, type FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { fromFloat16, toBfloat16, toFloat16 } from '../shared/halfFloats.ts';
import { freshInputs, type RandomInputs } from '../testing/random.ts';
import { halfWords, halvesKernel } from './halfProduct.ts';
import { outputWidth } from './linearSpec.ts';
import { faultOfProducts } from './products.ts';
import type { DecodePlan } from './program.ts';
import { rowList, runKernel } from './runKernel.ts';

const gpu = testDevice();

const base: LinearCase['spec'] = { ...SMALL_MAP, layout: 'nt', products: 'f16' };

/** The most that roundings to f16 may change of a term: that of x, of w, of the product and of three sums. */
const ROUNDINGS = 6 * 2 ** -10;

type Numbers = Float32Array<ArrayBuffer>;

/** The words of a matrix in a format without blocks. */
function wordsOf(format: FrozenFormat, values: Numbers): Uint32Array<ArrayBuffer> {
  const made = format === 'f32' ? values : format === 'f16' ? toFloat16(values) : toBfloat16(values);
  return new Uint32Array(new Uint8Array(made.buffer).slice().buffer);
}

/** Whole numbers so small that f16 has each of them, and each sum of four products. */
function wholeInputs(one: LinearCase, random: RandomInputs): LinearInputs {
  const inputs = inputsOf(one, random);
  const { inputs: k, outputs, format, normShift } = one.spec;
  const whole = (count: number, largest: number): Numbers =>
    Float32Array.from(random.ints(count, 2 * largest + 1), (value) => value - largest);
  inputs.x.set(whole(one.rows * k, 4));
  const gamma = Float32Array.from(random.ints(k, 2), (value) => value + 1 - normShift);
  const values = whole(k * outputs, 63);
  return { ...inputs, gamma, matrix: { words: wordsOf(format, values), values } };
}

/** Returns the largest excess of an error over the bound. f32 may change the last bits of a sum as well. */
function beyondBound(y: Numbers, rows: number, inputs: LinearInputs): number {
  const { outputs } = inputs.spec;
  const width = outputWidth(inputs.spec);
  const exact = referenceOf(rows, inputs);
  const bound = sumOfSizes(rows, inputs, leftSide(rows, inputs).map(Math.abs));
  const excess = exact.map((value, i) => {
    const own = Math.abs((y[i] ?? NaN) - value) - (ROUNDINGS + 3e-6) * (bound[i] ?? NaN);
    return i % width < outputs ? own : -Infinity;
  });
  return excess.some(Number.isNaN) ? NaN : Math.max(...excess);
}

describe('halves of activations', () => {
  const halved = async (spec: LinearCase['spec'], rows: number, { x, gamma }: LinearInputs) => {
    const data = [rowList(rows, () => ({})), x, new Uint32Array(rows * halfWords(spec.inputs))];
    const norm = spec.normEpsilon === null ? [] : [gamma];
    const results = await runKernel(gpu.device, halvesKernel(spec), [...data, ...norm], rows);
    const codes = results[2] ?? new ArrayBuffer(0);
    return Array.from({ length: rows }, (_, row) => {
      const at = 4 * row * halfWords(spec.inputs);
      const [scale = NaN, rowScale = NaN] = new Float32Array(codes, at + 2 * spec.inputs, 2);
      return { halves: fromFloat16(new Uint16Array(codes, at, spec.inputs)), scale, rowScale };
    });
  };

  test.each([null, 1e-5])(
    'are the row divided by a power of two, whatever its size, beside its scales; norm %s',
    async (normEpsilon) => {
      const random = freshInputs();
      const rows = 8;
      const spec = { ...base, inputs: 268, normEpsilon };
      const inputs = inputsOf({ spec, rows }, random);
      const row = (r: number): Numbers => inputs.x.subarray(r * spec.inputs, (r + 1) * spec.inputs);
      for (const [r, size] of [0, 1e-8, 1e6, 1e-30, 1e15].entries())
        row(r).forEach((v, i, of) => (of[i] = size * v));
      row(5).set([1e6, -1e-8], 40);
      const side = leftSide(rows, inputs);
      for (const [r, { halves, scale, rowScale }] of (await halved(spec, rows, inputs)).entries()) {
        const own = side.subarray(r * spec.inputs, (r + 1) * spec.inputs);
        expect(Number.isInteger(Math.log2(scale))).toBe(true);
        const largest = Math.max(...own.map(Math.abs)) / scale / rowScale;
        // f32 may round what lies next to a power of two to it.
        if (r > 0)
          expect(Math.abs(largest / 24 - 1), `seed ${random.seed}, row ${r}`).toBeLessThan(1 / 3 + 1e-5);
        const off = own.map((value, i) => {
          const wanted = value / scale / rowScale;
          return Math.abs((halves[i] ?? NaN) - wanted) - (2 ** -10 * Math.abs(wanted) + 2 ** -14);
        });
        expect(Math.max(...off), `seed ${random.seed}, row ${r}`).toBeLessThanOrEqual(0);
        const squares = row(r).reduce((sum, value) => sum + value ** 2, 0) / spec.inputs;
        const expected = normEpsilon === null ? 1 : 1 / Math.sqrt(squares + normEpsilon);
        expect(Math.abs(rowScale / expected - 1), `seed ${random.seed}, row ${r}`).toBeLessThan(1e-5);
      }
    },
  );

  test.each([NaN, Infinity])('a row with %d has no finite scale, and its neighbours do', async (bad) => {
    const inputs = inputsOf({ spec: base, rows: 3 }, freshInputs());
    inputs.x[base.inputs + 5] = bad;
    const rows = await halved(base, 3, inputs);
    expect(rows.map(({ scale }) => Number.isFinite(scale))).toEqual([true, false, true]);
  });
});

const FORMATS: readonly LinearCase[] = FROZEN_FORMATS.map((format, i) => ({
  spec: { ...base, format, inputs: format.endsWith('_k') || format === 'iq4_xs' ? 256 : 96, outputs: 33 + i },
  rows: i + 1,
}));
/** A format with a binding of its own, one that is widened, and one in blocks. */
const FEW = FORMATS.filter(({ spec }) => ['f16', 'bf16', 'q4_k'].includes(spec.format));
const MAPS: readonly LinearCase[] = [
  { spec: { ...base, layout: 'nn' }, rows: 1 },
  { spec: { ...base, outputs: 29, format: 'bf16', normEpsilon: 1e-5, bias: true, scale: 0.5 }, rows: 19 },
  {
    spec: { ...base, outputs: 64, format: 'f16', epilogue: 'swiglu', normEpsilon: 1e-6, normShift: 1 },
    rows: 6,
  },
  { spec: { ...base, layout: 'nn', inputs: 68, epilogue: 'residual', format: 'f16' }, rows: 9 },
  {
    spec: { ...base, inputs: 64, outputs: 40, format: 'bf16', normEpsilon: 1e-5, bias: true },
    rows: 17,
    adapter: {
      rank: 6,
      parts: [
        [0, 24],
        [24, 16],
      ],
    },
  },
];

// The tests of an adapter without f16 leave its products out, and say so.
describe.skipIf(!adapterHas('shader-f16'))('products of half floats', () => {
  test('the check of a device passes here, and says what is wrong with one that is off by 1 %', async () => {
    expect(await faultOfProducts(gpu.device, 'f16')).toBeNull();
    const spoilt: typeof runKernel = async (...given) => {
      const results = await runKernel(...given);
      const [, , , y] = results;
      if (y) new Float32Array(y).forEach((value, i, all) => (all[i] = 1.01 * value));
      return results;
    };
    expect(await faultOfProducts(gpu.device, 'f16', spoilt)).toMatch(/^-?[\d.]+ in place of -?\d+$/);
  });

  describe.each(casesOf<DecodePlan>(decodePlans, ['groups']))('%s', (plan) => {
    test.each(casesOf(MAPS, MAPS.slice(2)))(
      'whole numbers in $spec.format, $rows rows: float64',
      async (one) => {
        const random = freshInputs();
        const inputs = wholeInputs(one, random);
        const { y } = await runLinear(gpu.device, one.rows, plan, inputs);
        const { worst, bound } = farthest(y, one.rows, inputs);
        expect(worst, `seed ${random.seed}`).toBeLessThan(bound);
      },
    );

    test.each(casesOf(FORMATS, FEW))('$spec.format, $rows rows: within the bound', async (one) => {
      const random = freshInputs();
      const made = inputsOf(one, random);
      const { matrix } = made;
      // Any f16 would be up to 65504, where a sum of four has no room.
      const values =
        one.spec.format === 'f16' ? fromFloat16(toFloat16(random.floats(matrix.values.length))) : null;
      const inputs = values ? { ...made, matrix: { words: wordsOf('f16', values), values } } : made;
      const { y } = await runLinear(gpu.device, one.rows, plan, inputs);
      expect(beyondBound(y, one.rows, inputs), `seed ${random.seed}`).toBeLessThanOrEqual(0);
    });

    test('rows of 1e6, of 1e-8, and of both are within the bound', async () => {
      const random = freshInputs();
      const one: LinearCase = { spec: { ...base, inputs: 96, outputs: 37 }, rows: 3 };
      const inputs = inputsOf(one, random);
      const sizes = [() => 1e6, () => 1e-8, (k: number) => (k % 2 === 0 ? 1e6 : 1e-8)];
      inputs.x.forEach((value, i, x) => (x[i] = value * (sizes[Math.floor(i / 96)]?.(i % 96) ?? NaN)));
      const { y } = await runLinear(gpu.device, one.rows, plan, inputs);
      expect(beyondBound(y, one.rows, inputs), `seed ${random.seed}`).toBeLessThanOrEqual(0);
    });
  });
});
