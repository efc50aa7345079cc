/** `checkDevice` for the backend that is current: nothing to ask where that is wasm. */
import { checkDevice, isLost } from './deviceHealth.ts';
import { gpuDispatcher } from './dispatch.ts';
import { WEBGPU_BACKEND } from './kernelRegistry.ts';
import * as tf from './tf.ts';

/** @throws DeviceError where something of what was computed since the last call can't be trusted. */
export async function checkBackend(): Promise<void> {
  if (tf.getBackend() !== WEBGPU_BACKEND) return;
  const dispatcher = gpuDispatcher(tf.backend());
  if (!isLost(dispatcher.device)) dispatcher.flush();
  await checkDevice(dispatcher.device);
}

/** Whether the tensors of the current backend are gone. */
export function backendLost(): boolean {
  return tf.getBackend() === WEBGPU_BACKEND && isLost(gpuDispatcher(tf.backend()).device);
}
