/** Brings a backend up for a run: started, found to compute rightly, and on a GPU its fastest matrix products known. */
import type { BackendInfo } from '@rl-playground/engine/parts';
import { startBackend, selfTest } from '@rl-playground/engine/parts/tensors';
import type { ControllerOptions } from '../session/types.ts';
import { prepareGemmPlans } from './gemmPlans.ts';
import { address } from '../models/besidePage.ts';

/** `say` hears what is being done. Throws as `startBackend` and `selfTest` do. */
export async function startDevice(
  backend: 'webgpu' | 'wasm' | null,
  { limits, deadline, gpuBytes }: Pick<ControllerOptions, 'limits' | 'deadline' | 'gpuBytes'>,
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
