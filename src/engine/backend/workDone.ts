/** Waits for the device, for those who time what they started on it. */
import { gpuDispatcher } from './dispatch.ts';
import { backendKind } from './kernelRegistry.ts';
import * as tf from './tf.ts';

/** Resolves when everything that was started on the current backend is done. On wasm nothing is left to wait for. */
export async function workDone(): Promise<void> {
  if (backendKind() === 'wasm') return;
  const gpu = gpuDispatcher(tf.backend());
  gpu.flush();
  await gpu.device.queue.onSubmittedWorkDone();
}
