/** The products that generators on a device compute with: rounded ones are checked once for each device before they are trusted. */
import { messageOf } from '@rl-playground/base/errors';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { backendKind } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';
import {
  faultOfProducts,
  offersProducts,
  type DecodeProducts,
  type RoundedProducts,
} from '../../kernels/decode/index.ts';

const NAMES: Readonly<Record<RoundedProducts, string>> = {
  f16: 'Products of half floats',
  int8: 'Products of whole numbers',
};

const faults = new WeakMap<GPUDevice, Map<RoundedProducts, Promise<string | null>>>();

/** Resolves to the fault in words, or null. */
function faultOnce(device: GPUDevice, products: RoundedProducts): Promise<string | null> {
  const known = faults.get(device) ?? new Map<RoundedProducts, Promise<string | null>>();
  faults.set(device, known);
  const fault = known.get(products) ?? faultOfProducts(device, products).catch(messageOf);
  known.set(products, fault);
  return fault;
}

interface CheckedProducts {
  /** Those that are wanted where the device offers them and computes them right, and else exact ones. */
  readonly products: DecodeProducts;
  /** A sentence where the device offers the products and computes them wrongly; else null. */
  readonly doubt: string | null;
}

const EXACT: CheckedProducts = { products: 'exact', doubt: null };

/** Resolves to the products that generators on a device are to compute with. */
export async function checkedProducts(
  device: GPUDevice,
  wanted: DecodeProducts = 'exact',
): Promise<CheckedProducts> {
  if (wanted === 'exact' || !offersProducts(device, wanted)) return EXACT;
  const fault = await faultOnce(device, wanted);
  if (fault === null) return { products: wanted, doubt: null };
  return {
    ...EXACT,
    doubt: `${NAMES[wanted]} are off, because their check failed on this GPU (${fault}).`,
  };
}

/** Resolves to the doubt on the running GPU; to null on a CPU. */
export async function doubtOfProducts(wanted: DecodeProducts): Promise<string | null> {
  if (backendKind() !== 'webgpu') return null;
  return (await checkedProducts(gpuDispatcher(tf.backend()).device, wanted)).doubt;
}
