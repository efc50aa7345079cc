import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { ColumnSumsAttributes } from './attributes.ts';

/** Columns that one thread takes at least; a multiple of four. */
const GRAIN = 32;

export function columnSumsOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { targetOffset }: ColumnSumsAttributes,
): TensorInfo[] {
  const dy = input(inputs, 'dy');
  const [rows = 0, width = 0] = dy.shape;
  const target = memory.pointer(input(inputs, 'target'), targetOffset);
  memory.parallel('columnSums', width, GRAIN, memory.pointer(dy), rows, width, target);
  return [];
}
