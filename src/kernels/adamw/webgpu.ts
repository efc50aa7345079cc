import type { GpuDispatcher } from '../../backend/dispatch.ts';
import type { Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
export function adamwOnWebGpu(_gpu: GpuDispatcher, _inputs: Inputs, _attributes: object): TensorInfo[] {
  throw new Error('adamwOnWebGpu');
}
