/** Ours: the device it runs on. This folder is the only place of the benchmark that knows our own interfaces. */
import { gpuDispatcher, WEBGPU_BACKEND, startBackend, tf } from '@rl-playground/engine/parts/tensors';
import { prepareCpuCeiling } from '../ceilings/wasm.ts';
import { prepareGpuCeiling } from '../ceilings/webgpu.ts';
import type { Environment, CeilingWorkload, Prepared } from '../types.ts';

/** One line on what it computes with. */
export async function startOurs({ backend, wasmPath, threads }: Environment): Promise<string> {
  const { line } = await startBackend(backend, { wasmPath, threads });
  return line;
}

/** Resolves when everything that was started on the device is done. */
export async function finish(): Promise<void> {
  if (tf.getBackend() !== WEBGPU_BACKEND) return;
  const gpu = gpuDispatcher(tf.backend());
  gpu.flush();
  await gpu.device.queue.onSubmittedWorkDone();
}

export function prepareCeiling(workload: CeilingWorkload, { threads }: Environment): Promise<Prepared> {
  if (tf.getBackend() === WEBGPU_BACKEND) {
    return prepareGpuCeiling(gpuDispatcher(tf.backend()).device, workload);
  }
  return prepareCpuCeiling(workload, threads);
}
