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

/** Resolves to the products that are wanted where the device offers them and computes them right, and else to exact ones. */
export async function trustedProducts(
  device: GPUDevice,
  wanted: DecodeProducts = 'exact',
): Promise<DecodeProducts> {
  if (wanted === 'exact' || !offersProducts(device, wanted)) return 'exact';
  return (await faultOnce(device, wanted)) === null ? wanted : 'exact';
}

/** Resolves to a sentence where a device offers the products that are wanted and computes them wrongly, so that generators leave them; else to null. */
export async function doubtOn(device: GPUDevice, wanted: DecodeProducts): Promise<string | null> {
  if (wanted === 'exact' || !offersProducts(device, wanted)) return null;
  const fault = await faultOnce(device, wanted);
  return fault === null
    ? null
    : `${NAMES[wanted]} are off, because their check failed on this GPU (${fault}).`;
}

/** Resolves to the doubt on the running GPU; to null on a CPU. */
export async function doubtOfProducts(wanted: DecodeProducts): Promise<string | null> {
  return backendKind() === 'webgpu' ? doubtOn(gpuDispatcher(tf.backend()).device, wanted) : null;
}
