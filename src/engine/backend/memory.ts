/** Memory that tensors hold on the GPU. */
import { gpuDispatcher } from './dispatch.ts';
import { backendKind } from './kernelRegistry.ts';
import * as tf from './tf.ts';

/** The bytes of all buffers that tfjs holds on the GPU, idle ones included; null if the backend is not WebGPU. */
export function gpuBytes(): number | null {
  const use: object = tf.memory();
  return 'numBytesAllocatedInGPU' in use ? Number(use.numBytesAllocatedInGPU) : null;
}

/**
 * Ends a step of a run. It frees GPU memory that this step and the one before did not both use, so that steps of varied lengths hold no
 * more than one of them needs. It does nothing on wasm, whose heap never shrinks.
 */
export function endMemoryStep(): void {
  if (backendKind() === 'webgpu') gpuDispatcher(tf.backend()).endStep();
}
