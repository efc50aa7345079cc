import { u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { launchGroups, launchItems } from '../launch.ts';
import type { EmbeddingGradientAttributes } from './attributes.ts';

const LANES = 64;

export function embeddingOnWebGpu(gpu: GpuDispatcher, inputs: Inputs): TensorInfo[] {
  const table = input(inputs, 'table');
  const ids = input(inputs, 'ids');
  const width = table.shape[1] ?? 0;
  const rows = ids.shape[0] ?? 0;
  const y = gpu.allocate([rows, width], 'float32');
  launchItems(gpu, {
    key: 'embedding',
    items: rows * width,
    reads: { 'table: f32': table, 'ids: i32': ids },
    writes: { 'y: f32': y },
    uniforms: { width: u32(width) },
    body: () => /* wgsl */ `
  y[item] = table[u32(ids[item / params.width]) * params.width + item % params.width];`,
  });
  return [y];
}

/** The row where a token first occurs sums over all its occurrences; the other rows have nothing to do. */
export function embeddingGradientOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { vocabSize }: EmbeddingGradientAttributes,
): TensorInfo[] {
  const dy = input(inputs, 'dy');
  const [rows = 0, width = 0] = dy.shape;
  const dtable = gpu.allocate([vocabSize, width], 'float32');
  launchItems(gpu, {
    key: 'embedding-gradient-zeros',
    items: vocabSize * width,
    writes: { 'dtable: f32': dtable },
    body: () => `dtable[item] = 0.0;`,
  });
  launchGroups(
    gpu,
    {
      key: 'embedding-gradient',
      items: rows,
      reads: { 'dy: f32': dy, 'ids: i32': input(inputs, 'ids') },
      writes: { 'dtable: f32': dtable },
      uniforms: { width: u32(width) },
      body: () => /* wgsl */ `
  let id = ids[item];
  var earlier = 0.0;
  for (var row = lane; row < item; row += LANES) {
    if (ids[row] == id) {
      earlier = 1.0;
      break;
    }
  }
  if (maxOverLanes(earlier, lane) > 0.0) { return; }
  for (var column = lane; column < params.width; column += LANES) {
    var sum = 0.0;
    for (var row = item; row < params.items; row++) {
      if (ids[row] == id) { sum += dy[row * params.width + column]; }
    }
    dtable[u32(id) * params.width + column] = sum;
  }`,
    },
    LANES,
  );
  return [dtable];
}
