import type { GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { addRowSums } from '../rowSums.ts';
import type { ColumnSumsAttributes } from './attributes.ts';

export function columnSumsOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { targetOffset }: ColumnSumsAttributes,
  { dispose }: CompositeContext,
): TensorInfo[] {
  const dy = input(inputs, 'dy');
  const [, width = 0] = dy.shape;
  const target = { tensor: input(inputs, 'target'), offset: targetOffset, length: width };
  addRowSums(gpu, dy, target, dispose);
  return [];
}
