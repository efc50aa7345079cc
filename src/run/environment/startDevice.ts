/** Brings a backend up for a run: it is started and tested, and a GPU's fastest matrix products are found. */
import type { Deadline } from '@rl-playground/base/deadline';
import type { BackendInfo, DeviceLimits } from '@rl-playground/engine/parts';
import { startBackend, selfTest } from '@rl-playground/engine/parts/tensors';
import { prepareGemmPlans } from './gemmPlans.ts';
import { address } from '../models/besidePage.ts';

/** The options of a device. */
export interface DeviceOptions {
  readonly limits: DeviceLimits;
  /** The GPU's memory in bytes, where the address of the page says it. */
  readonly gpuBytes?: number;
  /** The longest silence of generators and threads that is waited for. */
  readonly deadline?: Deadline;
}

/** `say` hears what is being done. Throws as `startBackend` and `selfTest` do. */
export async function startDevice(
  backend: 'webgpu' | 'wasm' | null,
  { limits, deadline, gpuBytes }: DeviceOptions,
  say: (label: string) => void,
): Promise<BackendInfo> {
  say('Starting the device');
  const info = await startBackend(backend, { wasmPath: address('wasm/'), limits, deadline });
  await selfTest();
  if (info.backend === 'wasm') return info;
  say('Timing matrix products on this GPU');
  await prepareGemmPlans();
  return { ...info, ...(gpuBytes !== undefined && { gpuBytes }) };
}
