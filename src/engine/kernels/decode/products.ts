/** The products of decoding that round: where a device offers them, and whether it computes them right. */
import { factsOfDevice, hasFeature } from '../../backend/adapterFacts.ts';
import { linearKernel } from './linear.ts';
import { PLAIN_MAP, type LinearSpec } from './linearSpec.ts';
import type { RoundedProducts } from './productKinds.ts';
import { ROUNDING } from './rounding.ts';
import { rowList, runKernel } from './runKernel.ts';

/** The features of WGSL, which browsers before 2023 do not say. */
const languageFeatures = (): WGSLLanguageFeatures | undefined =>
  (globalThis.navigator.gpu as Partial<GPU>).wgslLanguageFeatures;

/**
 * True if generators may compute with these products on a device. A software adapter has none: SwiftShader takes 2 to 4 times as long for
 * whole numbers as for exact products, and llvmpipe up to 1.5 times as long for half floats.
 */
export function offersProducts(device: GPUDevice, products: RoundedProducts): boolean {
  if (factsOfDevice(device).software) return false;
  return products === 'f16'
    ? hasFeature(device, 'shader-f16')
    : languageFeatures()?.has('packed_4x8_integer_dot_product') === true;
}

/** The factors on the rows of the check: a scale must bring each to the same size. */
const SIZES = [1, 2 ** 40, 2 ** -40, 1, 2 ** 20] as const;
const ROWS = SIZES.length;
const CHECKED: Omit<LinearSpec, 'products'> = {
  ...PLAIN_MAP,
  label: 'check of products',
  inputs: 96,
  outputs: 37,
  layout: 'nt',
  format: 'q8_0',
};
/** A scale of 1 in f16. */
const ONE = 0x3c00;
/** The largest code. */
const LARGEST = 127;

/**
 * The largest whole number of x, and how far a term may be off. f16 has all whole numbers up to 2048, and so a sum of four. The scale of a
 * block of codes is a quotient, whose last bits WGSL leaves open.
 */
const CHECKS: Readonly<Record<RoundedProducts, { readonly largest: number; readonly tolerance: number }>> = {
  f16: { largest: 4, tolerance: 0 },
  int8: { largest: LARGEST, tolerance: 1e-5 },
};

const wholeNumbers = (count: number, largest: number): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length: count }, () => Math.floor(Math.random() * (2 * largest + 1)) - largest);

/** Whole numbers as blocks of Q8_0 with a scale of 1. */
function asBlocks(numbers: Float32Array): Uint32Array<ArrayBuffer> {
  const blocks = numbers.length / 32;
  const bytes = new Int8Array(Math.ceil((blocks * 34) / 4) * 4);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < blocks; block++) {
    view.setUint16(34 * block, ONE, true);
    bytes.set(numbers.subarray(32 * block, 32 * block + 32), 34 * block + 2);
  }
  return new Uint32Array(bytes.buffer);
}

/**
 * Compares a product of whole numbers, which no rounding changes, with float64. Returns the fault in words, or null if there is none.
 * `run` runs a kernel on the device.
 */
export async function faultOfProducts(
  device: GPUDevice,
  products: RoundedProducts,
  run: typeof runKernel = runKernel,
): Promise<string | null> {
  const spec: LinearSpec = { ...CHECKED, products };
  const { inputs, outputs } = spec;
  const { largest, tolerance } = CHECKS[products];
  const { kernel, words, views } = ROUNDING[products];
  const list = rowList(ROWS, () => ({}));
  const x = wholeNumbers(ROWS * inputs, largest);
  // The largest number decides the scale of a block of codes.
  for (let block = 0; block < x.length; block += 32) x[block] = largest;
  x.forEach((value, i) => (x[i] = value * (SIZES[Math.floor(i / inputs)] ?? NaN)));
  const weights = wholeNumbers(outputs * inputs, LARGEST);
  const codes = new Uint32Array(ROWS * words(inputs));
  const [, , found = new ArrayBuffer(0)] = await run(device, kernel(spec), [list, x, codes], ROWS);
  const y = new Float32Array(ROWS * Math.ceil(outputs / 4) * 4);
  const rounded = views.map(() => new Uint32Array(found));
  const data = [list, x, asBlocks(weights), y, ...rounded];
  const results = await run(device, linearKernel(spec, 'groups'), data, ROWS);
  const actual = new Float32Array(results[3] ?? new ArrayBuffer(0));
  for (const [row, size] of SIZES.entries()) {
    for (let column = 0; column < outputs; column++) {
      const expected = x
        .subarray(row * inputs, (row + 1) * inputs)
        .reduce((sum, value, k) => sum + value * (weights[column * inputs + k] ?? NaN), 0);
      const value = actual[row * (y.length / ROWS) + column] ?? NaN;
      if (!(Math.abs(value - expected) <= tolerance * inputs * largest * LARGEST * size))
        return `${value} in place of ${expected}`;
    }
  }
  return null;
}
