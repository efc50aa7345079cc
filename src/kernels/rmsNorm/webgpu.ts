import { f32, u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { lanesFor, launchGroups, launchItems } from '../launch.ts';
import { addRowSums, ROWS_PER_SUM } from '../rowSums.ts';
import type { RmsNormAttributes, RmsNormGradientAttributes } from './attributes.ts';

const RECIPROCAL_RMS = /* wgsl */ `
  let base = item * params.width;
  var squares = 0.0;
  for (var i = lane; i < params.width; i += LANES) { squares += x[base + i] * x[base + i]; }
  let r = inverseSqrt(sumOverLanes(squares, lane) / f32(params.width) + params.epsilon);`;

export function rmsNormOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { epsilon, gammaOffset }: RmsNormAttributes,
): TensorInfo[] {
  const x = input(inputs, 'x');
  const [rows = 0, width = 0] = x.shape;
  const gamma = { tensor: input(inputs, 'gamma'), offset: gammaOffset, length: width };
  const y = gpu.allocate([rows, width], 'float32');
  launchGroups(
    gpu,
    {
      key: 'rms-norm',
      items: rows,
      reads: { 'x: f32': x, 'gamma: f32': gamma },
      writes: { 'y: f32': y },
      uniforms: { width: u32(width), epsilon: f32(epsilon) },
      body: () => /* wgsl */ `${RECIPROCAL_RMS}
  for (var i = lane; i < params.width; i += LANES) { y[base + i] = x[base + i] * r * gamma[i]; }`,
    },
    lanesFor(width),
  );
  return [y];
}

/** Outputs dx [N, D]; dγ is summed within chunks of rows and then over the chunks, and added to its target. */
export function rmsNormGradientOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { epsilon, gammaOffset, gammaGradientOffset }: RmsNormGradientAttributes,
  { dispose }: CompositeContext,
): TensorInfo[] {
  const x = input(inputs, 'x');
  const dy = input(inputs, 'dy');
  const { residual } = inputs;
  const [rows = 0, width = 0] = x.shape;
  const gamma = { tensor: input(inputs, 'gamma'), offset: gammaOffset, length: width };
  const dx = gpu.allocate([rows, width], 'float32');
  const reciprocals = gpu.allocate([rows], 'float32');
  launchGroups(
    gpu,
    {
      key: `rms-norm-gradient${residual ? '-residual' : ''}`,
      items: rows,
      reads: {
        'x: f32': x,
        'gamma: f32': gamma,
        'dy: f32': dy,
        ...(residual ? { 'residual: f32': residual } : {}),
      },
      writes: { 'dx: f32': dx, 'reciprocals: f32': reciprocals },
      uniforms: { width: u32(width), epsilon: f32(epsilon) },
      body: () => /* wgsl */ `${RECIPROCAL_RMS}
  var products = 0.0;
  for (var i = lane; i < params.width; i += LANES) { products += dy[base + i] * gamma[i] * x[base + i]; }
  let pull = sumOverLanes(products, lane) / f32(params.width) * r * r;
  for (var i = lane; i < params.width; i += LANES) {
    dx[base + i] = ${residual ? 'residual[base + i] + ' : ''}r * (dy[base + i] * gamma[i] - x[base + i] * pull);
  }
  if (lane == 0u) { reciprocals[item] = r; }`,
    },
    lanesFor(width),
  );
  const chunks = Math.ceil(rows / ROWS_PER_SUM);
  const partials = gpu.allocate([chunks, width], 'float32');
  launchItems(gpu, {
    key: 'rms-norm-gamma-partials',
    items: chunks * width,
    reads: { 'x: f32': x, 'dy: f32': dy, 'reciprocals: f32': reciprocals },
    writes: { 'partials: f32': partials },
    uniforms: { width: u32(width), rows: u32(rows) },
    body: () => /* wgsl */ `
  let column = item % params.width;
  let first = item / params.width * ${ROWS_PER_SUM}u;
  var sum = 0.0;
  for (var row = first; row < min(first + ${ROWS_PER_SUM}u, params.rows); row++) {
    sum += dy[row * params.width + column] * x[row * params.width + column] * reciprocals[row];
  }
  partials[item] = sum;`,
  });
  dispose(reciprocals);
  const target = {
    tensor: input(inputs, 'gammaGradient'),
    offset: gammaGradientOffset,
    length: width,
  };
  addRowSums(gpu, partials, target, dispose);
  dispose(partials);
  return [dx];
}
