/** Starts a backend that computes right numbers. */
import { messageOf } from '@rl-playground/base/errors';
import { closeGpu, startBackend, type BackendInfo, type StartOptions } from '../backend/start.ts';
import { selfTest } from './selfTest.ts';

/**
 * Starts a backend as `startBackend` does, and compares its numbers with float64. A GPU that was not asked for by name and computes wrong
 * numbers is left for the CPU, and the line of the backend says so.
 *
 * @throws Error saying what is missing if the chosen backend can't run, and naming the numbers if it computes wrong ones.
 */
export async function startTested(
  choice: 'webgpu' | 'wasm' | null,
  options: StartOptions,
): Promise<BackendInfo> {
  const info = await startBackend(choice, options);
  try {
    await selfTest();
    return info;
  } catch (error) {
    if (choice !== null || info.backend === 'wasm') throw error;
    closeGpu();
    const instead = await startBackend('wasm', { ...options, because: messageOf(error) });
    await selfTest();
    return { ...instead, available: ['wasm'] };
  }
}
