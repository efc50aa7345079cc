/** Ours: the device it runs on. This folder is the only place of the benchmark that knows our own interfaces. */
import { gpuDispatcher, WEBGPU_BACKEND, startBackend, tf } from '@rl-playground/engine/parts/tensors';
import type { Environment } from '../types.ts';

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
