/** `checkDevice` for the current backend. On wasm there is nothing to check. */
import { checkDevice, isLost } from './deviceHealth.ts';
import { gpuDispatcher } from './dispatch.ts';
import { backendKind } from './kernelRegistry.ts';
import * as tf from './tf.ts';

/** @throws DeviceError if a result since the last call can't be trusted. */
export async function checkBackend(): Promise<void> {
  if (backendKind() === 'wasm') return;
  const dispatcher = gpuDispatcher(tf.backend());
  if (!isLost(dispatcher.device)) dispatcher.flush();
  await checkDevice(dispatcher.device);
}

/** True if the current backend has lost its device, and all its tensors with it. */
export function backendLost(): boolean {
  return backendKind() === 'webgpu' && isLost(gpuDispatcher(tf.backend()).device);
}
