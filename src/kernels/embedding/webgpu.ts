import type { GpuDispatcher } from '../../backend/dispatch.ts';
import type { Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
export function embeddingOnWebGpu(_gpu: GpuDispatcher, _inputs: Inputs, _attributes: object): TensorInfo[] {
  throw new Error('embeddingOnWebGpu');
}
export function embeddingGradientOnWebGpu(
  _gpu: GpuDispatcher,
  _inputs: Inputs,
  _attributes: object,
): TensorInfo[] {
  throw new Error('embeddingGradientOnWebGpu');
}
