import { u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';
import { launchGroups, launchItems } from '../launch.ts';

const LANES = 256;
/** Partial sums at the first level, at most. */
const MAX_SUMS = 16_384;

/** Two levels, each in a fixed order: every so-many-th element, then the sum of those sums. */
export function squaredNormOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  _attributes: object,
  { dispose }: CompositeContext,
): TensorInfo[] {
  const x = input(inputs, 'x');
  const size = util.sizeFromShape(x.shape);
  const count = Math.min(size, MAX_SUMS);
  const sums = gpu.allocate([count], 'float32');
  launchItems(gpu, {
    key: 'squared-norm-sums',
    items: count,
    reads: { 'x: f32': x },
    writes: { 'sums: f32': sums },
    uniforms: { size: u32(size) },
    body: () => /* wgsl */ `
  var sum = 0.0;
  for (var i = item; i < params.size; i += params.items) { sum += x[i] * x[i]; }
  sums[item] = sum;`,
  });
  const total = gpu.allocate([1], 'float32');
  launchGroups(
    gpu,
    {
      key: 'squared-norm',
      items: 1,
      reads: { 'sums: f32': sums },
      writes: { 'total: f32': total },
      uniforms: { count: u32(count) },
      body: () => /* wgsl */ `
  var sum = 0.0;
  for (var i = lane; i < params.count; i += LANES) { sum += sums[i]; }
  let all = sumOverLanes(sum, lane);
  if (lane == 0u) { total[item] = all; }`,
    },
    LANES,
  );
  dispose(sums);
  return [total];
}
