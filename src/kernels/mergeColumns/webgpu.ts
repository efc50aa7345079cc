import type { GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { MergeColumnsAttributes } from './attributes.ts';
import { mergeColumnsGrid, mergeColumnsKey, mergeColumnsShader, mergeColumnsVariant } from './shader.ts';

export function mergeColumnsOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: MergeColumnsAttributes,
): TensorInfo[] {
  const { allRows, rows, width, columns, inner, form } = attributes;
  const { mergedOffset, leftOffset, rightOffset } = attributes;
  const variant = mergeColumnsVariant(attributes, form);
  gpu.dispatch({
    key: mergeColumnsKey(variant),
    code: () => mergeColumnsShader(variant),
    reads: [
      input(inputs, 'base'),
      { tensor: input(inputs, 'left'), offset: leftOffset, length: inner * allRows },
      { tensor: input(inputs, 'right'), offset: rightOffset, length: inner * columns },
    ],
    writes: [{ tensor: input(inputs, 'merged'), offset: mergedOffset, length: allRows * width }],
    ...mergeColumnsGrid(attributes, variant),
    work: rows * columns * inner,
  });
  return [];
}
