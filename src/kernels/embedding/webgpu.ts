import { u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';
import type { EmbeddingAttributes, EmbeddingGradientAttributes } from './attributes.ts';

export function embeddingOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { tableOffset, vocabSize, width }: EmbeddingAttributes,
): TensorInfo[] {
  const ids = input(inputs, 'ids');
  const rows = ids.shape[0] ?? 0;
  const y = gpu.allocate([rows, width], 'float32');
  launchItems(gpu, {
    key: 'embedding',
    items: rows * width,
    reads: {
      'table: f32': { tensor: input(inputs, 'table'), offset: tableOffset, length: vocabSize * width },
      'ids: i32': ids,
    },
    writes: { 'y: f32': y },
    uniforms: { width: u32(width) },
    body: () => /* wgsl */ `
  y[item] = table[u32(ids[item / params.width]) * params.width + item % params.width];`,
  });
  return [y];
}

/**
 * A first pass links each row to the next one of the same token; the second walks the chain of each token's first row. The
 * other rows have nothing to do.
 */
export function embeddingGradientOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { targetOffset, vocabSize }: EmbeddingGradientAttributes,
  { dispose }: CompositeContext,
): TensorInfo[] {
  const dy = input(inputs, 'dy');
  const ids = input(inputs, 'ids');
  const [rows = 0, width = 0] = dy.shape;
  const next = gpu.allocate([rows], 'int32');
  const repeated = gpu.allocate([rows], 'int32');
  launchItems(gpu, {
    key: 'embedding-gradient-chains',
    items: rows,
    reads: { 'ids: i32': ids },
    writes: { 'next: i32': next, 'repeated: i32': repeated },
    body: () => /* wgsl */ `
  let id = ids[item];
  var earlier = 0u;
  while (earlier < item && ids[earlier] != id) { earlier++; }
  repeated[item] = select(0, 1, earlier < item);
  var later = item + 1u;
  while (later < params.items && ids[later] != id) { later++; }
  next[item] = i32(later);`,
  });
  launchItems(gpu, {
    key: 'embedding-gradient',
    items: rows * width,
    reads: { 'dy: f32': dy, 'ids: i32': ids, 'next: i32': next, 'repeated: i32': repeated },
    writes: {
      'sums: f32': { tensor: input(inputs, 'target'), offset: targetOffset, length: vocabSize * width },
    },
    uniforms: { rows: u32(rows), width: u32(width) },
    body: () => /* wgsl */ `
  let first = item / params.width;
  let column = item % params.width;
  if (repeated[first] != 0) { return; }
  let at = u32(ids[first]) * params.width + column;
  var sum = sums[at];
  for (var row = first; row < params.rows; row = u32(next[row])) { sum += dy[row * params.width + column]; }
  sums[at] = sum;`,
  });
  dispose(next, repeated);
  return [];
}
