import { u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';
import { launchGroups } from '../launch.ts';

const LANES = 256;
/** Elements in one partial sum. */
const CHUNK = 8192;

/** Two levels, each in a fixed order: sums of chunks, then the sum of those. */
export function squaredNormOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  _attributes: object,
  { dispose }: CompositeContext,
): TensorInfo[] {
  const x = input(inputs, 'x');
  const size = util.sizeFromShape(x.shape);
  const chunks = Math.ceil(size / CHUNK);
  const sums = gpu.allocate([chunks], 'float32');
  launchGroups(
    gpu,
    {
      key: 'squared-norm-chunks',
      items: chunks,
      reads: { 'x: f32': x },
      writes: { 'sums: f32': sums },
      uniforms: { size: u32(size) },
      body: () => /* wgsl */ `
  let first = item * ${CHUNK}u;
  var sum = 0.0;
  for (var i = first + lane; i < min(first + ${CHUNK}u, params.size); i += LANES) { sum += x[i] * x[i]; }
  let total = sumOverLanes(sum, lane);
  if (lane == 0u) { sums[item] = total; }`,
    },
    LANES,
  );
  const total = gpu.allocate([1], 'float32');
  launchGroups(
    gpu,
    {
      key: 'squared-norm',
      items: 1,
      reads: { 'sums: f32': sums },
      writes: { 'total: f32': total },
      uniforms: { chunks: u32(chunks) },
      body: () => /* wgsl */ `
  var sum = 0.0;
  for (var i = lane; i < params.chunks; i += LANES) { sum += sums[i]; }
  let all = sumOverLanes(sum, lane);
  if (lane == 0u) { total[item] = all; }`,
    },
    LANES,
  );
  dispose(sums);
  return [total];
}
