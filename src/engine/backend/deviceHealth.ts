/**
 * Tells whether the results of a GPU device can be trusted. WebGPU reports a failed call after the call has returned, and goes on with
 * whatever is in the buffers. So results are used only after the device was asked.
 */

import { breathe } from './eventLoop.ts';

/** `lost`: the device is gone and all its tensors with it. `error`: a call failed, results may be wrong. */
export interface DeviceProblem {
  readonly kind: 'lost' | 'error';
  readonly message: string;
}

/** Results that were computed since the device was last asked must not be used. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
  readonly kind: DeviceProblem['kind'];

  constructor({ kind, message }: DeviceProblem) {
    super(message);
    this.kind = kind;
  }
}

const listeners = new Set<(problem: DeviceProblem) => void>();
/** The first problem of each device that `checkDevice` has not thrown yet. */
const untold = new WeakMap<GPUDevice, DeviceProblem>();
const lost = new WeakMap<GPUDevice, DeviceProblem>();
const released = new WeakSet<GPUDevice>();

/** Calls `listener` when a device is lost or reports an error that nobody caught; returns the unsubscribe function. */
export function onDeviceProblem(listener: (problem: DeviceProblem) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Records a problem of a device and tells the listeners. Hundreds of errors may follow one failed call, so the first is kept: it says
 * what happened.
 */
export function reportDeviceProblem(device: GPUDevice, problem: DeviceProblem): void {
  if (released.has(device)) return;
  if (!untold.has(device) || problem.kind === 'lost') untold.set(device, problem);
  if (problem.kind === 'lost') lost.set(device, problem);
  for (const listener of listeners) listener(problem);
}

/** Reports the troubles of a new device from now on. `name` is the name of its adapter, for a person. */
export function watchDevice(device: GPUDevice, name: string): void {
  device.addEventListener('uncapturederror', ({ error }) => {
    reportDeviceProblem(device, {
      kind: 'error',
      message: `The GPU (${name}) reported an error: ${error.message}`,
    });
  });
  void device.lost.then(({ message }) => {
    const why = message === '' ? 'the browser does not say why' : message;
    reportDeviceProblem(device, { kind: 'lost', message: `The GPU (${name}) was lost: ${why}` });
  });
}

/** Destroys a device that is no longer needed, without reporting its loss as a problem. */
export function releaseDevice(device: GPUDevice): void {
  released.add(device);
  device.destroy();
}

/** True if the device is lost. A lost device never comes back: only a new one helps. */
export function isLost(device: GPUDevice): boolean {
  return lost.has(device);
}

/**
 * Resolves once the device has looked at everything that was submitted to it. That takes a message there and back, and does not wait for
 * the end of the work.
 *
 * @throws DeviceError for the first problem since the last call, and always if the device is lost.
 */
export async function checkDevice(device: GPUDevice): Promise<void> {
  device.pushErrorScope('validation');
  // The scope of a lost device rejects, or resolves as if nothing had happened.
  await Promise.race([device.popErrorScope().catch(() => null), device.lost]);
  // The answer is here, but the browser reports each earlier error in a task of its own.
  await breathe();
  const problem = untold.get(device) ?? lost.get(device);
  untold.delete(device);
  if (problem) throw new DeviceError(problem);
}
