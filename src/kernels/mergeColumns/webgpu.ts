import type { GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { MergeColumnsAttributes } from './attributes.ts';
import { inVectors, mergeColumnsGrid, mergeColumnsKey, mergeColumnsShader } from './shader.ts';

export function mergeColumnsOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: MergeColumnsAttributes,
): TensorInfo[] {
  const { rows, columns, inner, form, mergedOffset, mergedLength } = attributes;
  const { leftOffset, leftLength, rightOffset } = attributes;
  const variant = { vectors: inVectors(attributes), form };
  gpu.dispatch({
    key: mergeColumnsKey(variant),
    code: () => mergeColumnsShader(variant),
    reads: [
      input(inputs, 'base'),
      { tensor: input(inputs, 'left'), offset: leftOffset, length: leftLength },
      { tensor: input(inputs, 'right'), offset: rightOffset, length: inner * columns },
    ],
    writes: [{ tensor: input(inputs, 'merged'), offset: mergedOffset, length: mergedLength }],
    ...mergeColumnsGrid(attributes, variant),
    work: rows * columns * inner,
  });
  return [];
}
