import { u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';

export interface PackHalfAttributes {
  /** First element, and their number. */
  readonly offset: number;
  readonly length: number;
}

export function packHalfOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { offset, length }: PackHalfAttributes,
): TensorInfo[] {
  const halves = gpu.allocate([Math.ceil(length / 2)], 'int32');
  launchItems(gpu, {
    key: 'pack-half',
    items: Math.ceil(length / 2),
    reads: { 'x: f32': { tensor: input(inputs, 'x'), offset, length } },
    writes: { 'halves: u32': halves },
    uniforms: { length: u32(length) },
    body: () => /* wgsl */ `
  let first = 2u * item;
  let pair = vec2f(x[first], select(0.0, x[min(first + 1u, params.length - 1u)], first + 1u < params.length));
  halves[item] = pack2x16float(clamp(pair, vec2f(-65504.0), vec2f(65504.0)));`,
  });
  return [halves];
}
