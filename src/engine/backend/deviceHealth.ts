/**
 * Whether what a GPU device computes can be trusted. WebGPU reports a call that failed after the call has returned and goes on with whatever
 * is in the buffers, so work is believed only after the device was asked.
 */

import { breathe } from './eventLoop.ts';

/** `lost`: the device is gone and all its tensors with it. `error`: a call failed, results may be wrong. */
export interface DeviceProblem {
  readonly kind: 'lost' | 'error';
  readonly message: string;
}

/** What was computed since the device was last asked is not to be used. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
  readonly kind: DeviceProblem['kind'];

  constructor({ kind, message }: DeviceProblem) {
    super(message);
    this.kind = kind;
  }
}

const listeners = new Set<(problem: DeviceProblem) => void>();
/** Of each device: the first problem that nobody has been told of by `checkDevice`. */
const untold = new WeakMap<GPUDevice, DeviceProblem>();
const lost = new WeakMap<GPUDevice, DeviceProblem>();
const released = new WeakSet<GPUDevice>();

/** Calls `listener` when a device is lost or reports an error that nobody caught; returns the unsubscribe function. */
export function onDeviceProblem(listener: (problem: DeviceProblem) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Of what a failed call leads to, hundreds of errors may follow: the first one says what happened. */
export function reportDeviceProblem(device: GPUDevice, problem: DeviceProblem): void {
  if (released.has(device)) return;
  if (!untold.has(device) || problem.kind === 'lost') untold.set(device, problem);
  if (problem.kind === 'lost') lost.set(device, problem);
  for (const listener of listeners) listener(problem);
}

/** Hears of a new device's troubles from now on. `name`: of its adapter, for a person. */
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

/** Destroys a device that nobody needs any more: its loss is no problem. */
export function releaseDevice(device: GPUDevice): void {
  released.add(device);
  device.destroy();
}

/** A lost device stays lost: only a new one helps. */
export function isLost(device: GPUDevice): boolean {
  return lost.has(device);
}

/**
 * Resolves once the device has looked at all that was submitted to it, which takes a message there and back and not the end of the work.
 *
 * @throws DeviceError for the first problem since the last call, and always where the device is lost.
 */
export async function checkDevice(device: GPUDevice): Promise<void> {
  device.pushErrorScope('validation');
  // On a lost device it rejects, or resolves as if nothing had happened.
  await Promise.race([device.popErrorScope().catch(() => null), device.lost]);
  // The answer is here, but each error before it is told of in a task of its own.
  await breathe();
  const problem = untold.get(device) ?? lost.get(device);
  untold.delete(device);
  if (problem) throw new DeviceError(problem);
}
