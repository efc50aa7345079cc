import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { EmbeddingGradientAttributes } from './attributes.ts';

export function embeddingOnWasm(memory: HostMemory, inputs: Inputs): TensorInfo[] {
  const table = input(inputs, 'table');
  const ids = input(inputs, 'ids');
  const width = table.shape[1] ?? 0;
  const rows = ids.shape[0] ?? 0;
  const y = memory.allocate([rows, width], 'float32');
  const from = memory.floats(table);
  const to = memory.floats(y);
  memory.ints(ids).forEach((id, row) => to.set(from.subarray(id * width, (id + 1) * width), row * width));
  return [y];
}

export function embeddingGradientOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { vocabSize }: EmbeddingGradientAttributes,
): TensorInfo[] {
  const dy = input(inputs, 'dy');
  const width = dy.shape[1] ?? 0;
  const dtable = memory.allocate([vocabSize, width], 'float32');
  const dys = memory.floats(dy);
  const sums = memory.floats(dtable).fill(0);
  memory.ints(input(inputs, 'ids')).forEach((id, row) => {
    for (let i = 0; i < width; i++) {
      sums[id * width + i] = (sums[id * width + i] as number) + (dys[row * width + i] as number);
    }
  });
  return [dtable];
}
