/** The products of decoding that round: where a device offers them, and whether it computes them right. */
import { factsOfDevice } from '../../backend/adapterFacts.ts';
import { quantizeKernel } from './integerProduct.ts';
import { linearKernel } from './linear.ts';
import { PLAIN_MAP, type LinearSpec } from './linearSpec.ts';
import type { RoundedProducts } from './productKinds.ts';
import { rowList, runKernel } from './runKernel.ts';

/** The features of WGSL, which browsers before 2023 do not say. */
const languageFeatures = (): WGSLLanguageFeatures | undefined =>
  (globalThis.navigator.gpu as Partial<GPU>).wgslLanguageFeatures;

/**
 * True if generators may compute with these products on a device. A software adapter has none: SwiftShader takes 2 to 4 times as long for
 * them as for exact ones.
 */
export function offersProducts(device: GPUDevice, _products: RoundedProducts): boolean {
  return (
    !factsOfDevice(device).software && languageFeatures()?.has('packed_4x8_integer_dot_product') === true
  );
}

const ROWS = 5;
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
const LARGEST = 127;

const wholeNumbers = (count: number): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length: count }, () => Math.floor(Math.random() * (2 * LARGEST + 1)) - LARGEST);

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
  const list = rowList(ROWS, () => ({}));
  const x = wholeNumbers(ROWS * inputs);
  // A block whose largest number is 127 has a scale of 1.
  for (let block = 0; block < x.length; block += 32) x[block] = LARGEST;
  const weights = wholeNumbers(outputs * inputs);
  const codes = new Uint32Array((x.length / 32) * 12);
  const [, , found = new ArrayBuffer(0)] = await run(device, quantizeKernel(spec), [list, x, codes], ROWS);
  const y = new Float32Array(ROWS * Math.ceil(outputs / 4) * 4);
  const data = [list, x, asBlocks(weights), y, new Uint32Array(found)];
  const results = await run(device, linearKernel(spec, 'groups'), data, ROWS);
  const actual = new Float32Array(results[3] ?? new ArrayBuffer(0));
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < outputs; column++) {
      const expected = x
        .subarray(row * inputs, (row + 1) * inputs)
        .reduce((sum, value, k) => sum + value * (weights[column * inputs + k] ?? NaN), 0);
      const value = actual[row * (y.length / ROWS) + column] ?? NaN;
      // The scale of a block is a quotient, whose last bits WGSL leaves open.
      if (!(Math.abs(value - expected) <= 1e-5 * inputs * LARGEST ** 2))
        return `${value} in place of ${expected}`;
    }
  }
  return null;
}
