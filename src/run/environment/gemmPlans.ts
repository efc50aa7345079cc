/**
 * Measured plans of matrix products. They are timed once for each GPU, kept in this browser, and recorded with a run, which
 * takes them up again when it goes on. Results do not depend on the plan; only the time does.
 */
import { z } from 'zod';
import type { GemmPlans } from '@rl-playground/engine/parts';
import { gpuDispatcher, tf, adoptGemmPlans, gemmDevice, tuneGemm } from '@rl-playground/engine/parts/tensors';

const plansSchema = z.object({ adapter: z.string(), choices: z.record(z.string(), z.string()) });

/** The plans as a checkpoint records them; null if nothing was measured. */
export const gemmPlansSchema = plansSchema.nullable().default(null);

const STORAGE_KEY = 'rl-playground.gemm-plans';

/** The plans that this browser kept for the adapter; null if there are none that can be read. */
function stored(adapter: string): GemmPlans | null {
  try {
    const plans = plansSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null'));
    return plans.adapter === adapter ? plans : null;
  } catch {
    return null;
  }
}

/**
 * Takes up what is known of the GPU's products, or times them first, which takes a second or two. The WebGPU backend must run,
 * and nothing on it. A software adapter is left alone: what it does best follows from counting instructions, and other work
 * on the same processor would spoil the measurement.
 */
export async function prepareGemmPlans(): Promise<void> {
  const device = gemmDevice(gpuDispatcher(tf.backend()));
  if (device.software) return;
  const known = stored(device.key);
  if (known) {
    adoptGemmPlans(known);
    return;
  }
  const measured = await tuneGemm();
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(measured));
  } catch {
    // A browser that keeps nothing measures again next time.
  }
}
