import { f32, u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';
import type { RopeAttributes } from './attributes.ts';

export function ropeOnWebGpu(gpu: GpuDispatcher, inputs: Inputs, { inverse }: RopeAttributes): TensorInfo[] {
  const x = input(inputs, 'x');
  const cosines = input(inputs, 'cosines');
  const [rows = 0, width = 0] = x.shape;
  const y = gpu.allocate([rows, width], 'float32');
  launchItems(gpu, {
    key: 'rope',
    items: (rows * width) / 2,
    reads: {
      'x: f32': x,
      'positions: i32': input(inputs, 'positions'),
      'cosines: f32': cosines,
      'sines: f32': input(inputs, 'sines'),
    },
    writes: { 'y: f32': y },
    uniforms: {
      width: u32(width),
      half: u32(cosines.shape[1] ?? 0),
      sign: f32(inverse ? -1 : 1),
    },
    body: () => /* wgsl */ `
  let pairs = params.width / 2u;
  let row = item / pairs;
  let pair = item % pairs;
  let i = pair % params.half;
  let entry = u32(positions[row]) * params.half + i;
  let c = cosines[entry];
  let s = params.sign * sines[entry];
  let first = row * params.width + pair / params.half * 2u * params.half + i;
  let second = first + params.half;
  y[first] = x[first] * c - x[second] * s;
  y[second] = x[second] * c + x[first] * s;`,
  });
  return [y];
}
