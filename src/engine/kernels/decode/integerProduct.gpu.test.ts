/**
 * Products in whole numbers: the codes of activations, and maps against float64, with the rounded activations to f32's last bits and with
 * the activations themselves within the bound that `integerProduct.ts` states.
 */
import { describe, expect, test } from 'vitest';
import { casesOf, decodePlan, decodePlans } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { BLOCK_FORMATS } from '../blockFormats/blockFormats.ts';
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
import { freshInputs } from '../testing/random.ts';
import { quantizeKernel } from './integerProduct.ts';
import { linearKernel } from './linear.ts';
import { outputWidth } from './linearSpec.ts';
import { faultOfProducts } from './products.ts';
import type { DecodePlan } from './program.ts';
import { rowList, runKernel } from './runKernel.ts';

const gpu = testDevice();
/** dot4I8Packed is a feature of the language, which the tests of a device without it leave out, and say so. */
const hasDots = navigator.gpu.wgslLanguageFeatures.has('packed_4x8_integer_dot_product');

const base: LinearCase['spec'] = { ...SMALL_MAP, inputs: 96, layout: 'nt', format: 'q8_0', products: 'int8' };

/** The numbers that the codes of the rows stand for, with the scale of the norm. */
function roundedSide(rows: number, inputs: number, codes: Uint32Array): Float64Array {
  const bytes = new Int8Array(codes.buffer);
  const floats = new Float32Array(codes.buffer);
  return Float64Array.from({ length: rows * inputs }, (_, i) => {
    const block = Math.floor(i / 32);
    const [scale = NaN, , , rowScale = NaN] = floats.subarray(block * 12 + 8);
    return (bytes[block * 48 + (i % 32)] ?? NaN) * scale * rowScale;
  });
}

/** Σ over blocks of max |x| / 254 · Σ |w|, for each output. */
function roundingBound(rows: number, inputs: LinearInputs): Float64Array {
  const steps = leftSide(rows, inputs).map((_, i, left) => {
    const block = Math.floor(i / 32) * 32;
    return Math.max(...left.subarray(block, block + 32).map(Math.abs)) / 254;
  });
  return sumOfSizes(rows, inputs, steps);
}

const FORMATS: readonly LinearCase[] = BLOCK_FORMATS.map((format, i) => ({
  spec: { ...base, format, inputs: format.endsWith('_k') || format === 'iq4_xs' ? 256 : 96, outputs: 33 + i },
  rows: i + 1,
}));
const MAPS: readonly LinearCase[] = [
  { spec: { ...base, outputs: 44, normEpsilon: 1e-5, bias: true }, rows: 19 },
  {
    spec: { ...base, format: 'q4_0', outputs: 64, epilogue: 'swiglu', normEpsilon: 1e-6, normShift: 1 },
    rows: 6,
  },
  { spec: { ...base, format: 'q4_k', inputs: 256, outputs: 20, epilogue: 'residual', scale: 0.22 }, rows: 9 },
  {
    spec: { ...base, format: 'q4_1', inputs: 64, outputs: 40, normEpsilon: 1e-5, bias: true },
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

describe.skipIf(!hasDots)('products in whole numbers', () => {
  const rounded = async (
    spec: LinearCase['spec'],
    rows: number,
    x: Float32Array<ArrayBuffer>,
    gamma: Float32Array<ArrayBuffer>,
  ) => {
    const data = [rowList(rows, () => ({})), x, new Uint32Array((x.length / 32) * 12)];
    const norm = spec.normEpsilon === null ? [] : [gamma];
    const found = await runKernel(gpu.device, quantizeKernel(spec), [...data, ...norm], rows);
    return new Uint32Array(found[2] ?? new ArrayBuffer(0));
  };

  test('activations are rounded to the nearest of 255 codes a block, beside the scale of their norm', async () => {
    const random = freshInputs();
    const rows = 7;
    const spec = { ...base, normEpsilon: 1e-5 };
    const inputs = inputsOf({ spec, rows }, random);
    // A block of zeros, and numbers of very different sizes.
    inputs.x.fill(0, 32, 64).set([1e-30, -1e15, 3e-7], 96);
    const codes = await rounded(spec, rows, inputs.x, inputs.gamma);
    const bytes = new Int8Array(codes.buffer);
    const floats = new Float32Array(codes.buffer);
    const side = leftSide(rows, inputs);
    const numbers = roundedSide(rows, base.inputs, codes);
    for (let block = 0; block < (rows * base.inputs) / 32; block++) {
      const part = side.subarray(32 * block, 32 * block + 32);
      const largest = Math.max(...part.map(Math.abs));
      const own = bytes.subarray(48 * block, 48 * block + 32);
      expect(Math.max(...own.map(Math.abs)), `seed ${random.seed}`).toBe(largest === 0 ? 0 : 127);
      const far = Math.max(...part.map((value, i) => Math.abs(value - (numbers[32 * block + i] ?? NaN))));
      expect(far, `seed ${random.seed}`).toBeLessThanOrEqual((largest / 254) * (1 + 1e-4));
      const [scale = NaN, first = NaN, second = NaN] = floats.subarray(12 * block + 8);
      const total = (from: number): number =>
        own.subarray(from, from + 16).reduce((sum, code) => sum + code, 0);
      expect([first, second]).toEqual([Math.fround(scale * total(0)), Math.fround(scale * total(16))]);
    }
  });

  test.each([NaN, Infinity])('a block with %d has no finite scale, and its neighbours do', async (bad) => {
    const { x, gamma } = inputsOf({ spec: base, rows: 3 }, freshInputs());
    x[96 + 40] = bad;
    const scales = new Float32Array((await rounded(base, 3, x, gamma)).buffer).filter((_, i) => i % 12 === 8);
    expect([...scales].map(Number.isFinite)).toEqual(Array.from({ length: 9 }, (_, i) => i !== 4));
  });

  test('the check of a device passes here, and says what is wrong with one that is off by 1 %', async () => {
    expect(await faultOfProducts(gpu.device, 'int8')).toBeNull();
    const spoilt: typeof runKernel = async (...given) => {
      const results = await runKernel(...given);
      const [, , , y] = results;
      if (y) new Float32Array(y).forEach((value, i, all) => (all[i] = 1.01 * value));
      return results;
    };
    expect(await faultOfProducts(gpu.device, 'int8', spoilt)).toMatch(/^-?[\d.]+ in place of -?\d+$/);
  });

  // On a software adapter a kernel takes seconds to compile, and `groups` is the plan of those that compute in whole numbers.
  describe.each(casesOf<DecodePlan>(decodePlans, ['groups']))('%s', (plan) => {
    test.each(casesOf([...FORMATS, ...MAPS], MAPS.slice(-1)))(
      '$spec.format, $rows rows: float64 of the rounded activations',
      async (one) => {
        const random = freshInputs();
        const { rows } = one;
        const inputs = inputsOf(one, random);
        const { y, codes } = await runLinear(gpu.device, rows, plan, inputs);
        const { worst, bound } = farthest(y, rows, inputs, roundedSide(rows, one.spec.inputs, codes));
        expect(worst, `seed ${random.seed}`).toBeLessThan(bound);
        if (one.spec.epilogue !== 'store') return;
        const exact = referenceOf(rows, inputs);
        const width = outputWidth(inputs.spec);
        const excess = roundingBound(rows, inputs).map((allowed, i) => {
          const isPadding = i % width >= one.spec.outputs;
          return isPadding ? 0 : Math.abs((y[i] ?? NaN) - (exact[i] ?? NaN)) - allowed;
        });
        expect(Math.max(...excess), `seed ${random.seed}`).toBeLessThan(bound);
      },
    );
  });

  test('a matrix without codes is refused', () => {
    expect(() => linearKernel({ ...base, label: 'down', lowRank: null, format: 'f16' }, decodePlan)).toThrow(
      /down: products in 8 bits need .* block formats; this one is nt in f16/,
    );
  });
});
