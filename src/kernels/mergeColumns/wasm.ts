import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { MergeColumnsAttributes } from './attributes.ts';

/** Multiplications below which a thread is not worth waking. */
const WORK_PER_PART = 125_000;

export function mergeColumnsOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  attributes: MergeColumnsAttributes,
): TensorInfo[] {
  const { allRows, rows, firstRow, width, column, columns, inner, scale } = attributes;
  const { form, mergedOffset, leftOffset, rightOffset } = attributes;
  memory.parallel(
    'mergeColumns',
    rows,
    Math.ceil(WORK_PER_PART / Math.max(1, columns * inner)),
    memory.pointer(input(inputs, 'base')),
    memory.pointer(input(inputs, 'merged'), mergedOffset + firstRow * width),
    width,
    column,
    memory.pointer(input(inputs, 'left'), leftOffset + firstRow),
    allRows,
    memory.pointer(input(inputs, 'right'), rightOffset),
    inner,
    columns,
    scale,
    form === 'rounded' ? 1 : 0,
  );
  return [];
}
