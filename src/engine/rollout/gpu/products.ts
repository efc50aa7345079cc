/** The products that generators on a device compute with: rounded ones are checked once for each device before they are trusted. */
import { messageOf } from '@rl-playground/base/errors';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { WEBGPU_BACKEND } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';
import {
  DECODE_PRODUCTS,
  faultOfProducts,
  offersProducts,
  type DecodeProducts,
  type RoundedProducts,
} from '../../kernels/decode/index.ts';

const NAMES: Readonly<Record<RoundedProducts, string>> = { int8: 'products of whole numbers' };

const faults = new WeakMap<GPUDevice, Map<RoundedProducts, Promise<string | null>>>();

/** Resolves to the fault in words, or null. */
function faultOnce(device: GPUDevice, products: RoundedProducts): Promise<string | null> {
  const known = faults.get(device) ?? new Map<RoundedProducts, Promise<string | null>>();
  faults.set(device, known);
  const fault = known.get(products) ?? faultOfProducts(device, products).catch(messageOf);
  known.set(products, fault);
  return fault;
}

/** Resolves to the products that are wanted, where the device offers them and computes them right; else to exact ones. */
export async function trustedProducts(
  device: GPUDevice,
  wanted: DecodeProducts = 'exact',
): Promise<DecodeProducts> {
  if (wanted === 'exact' || !offersProducts(device, wanted)) return 'exact';
  return (await faultOnce(device, wanted)) === null ? wanted : 'exact';
}

/** Resolves to what a device computes wrongly and generators on it therefore leave, in words; to null where there is nothing. */
export async function doubtsOn(device: GPUDevice): Promise<string | null> {
  const doubts: string[] = [];
  for (const products of DECODE_PRODUCTS) {
    if (products === 'exact' || !offersProducts(device, products)) continue;
    const fault = await faultOnce(device, products);
    if (fault !== null)
      doubts.push(`${NAMES[products]} are off, because their check failed on this GPU (${fault})`);
  }
  return doubts.length === 0 ? null : doubts.join('; ');
}

/** Resolves to the doubts on the running GPU; to null on a CPU. */
export async function doubtsOfProducts(): Promise<string | null> {
  return tf.getBackend() === WEBGPU_BACKEND ? doubtsOn(gpuDispatcher(tf.backend()).device) : null;
}
