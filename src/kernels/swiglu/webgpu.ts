import type { GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';

/** By the exponential of a number that is never positive: WGSL may assume that infinity does not occur. */
const SIGMOID = /* wgsl */ `
fn sigmoid(z: f32) -> f32 {
  let e = exp(-abs(z));
  return select(e, 1.0, z >= 0.0) / (1.0 + e);
}`;

export function swigluOnWebGpu(gpu: GpuDispatcher, inputs: Inputs): TensorInfo[] {
  const gate = input(inputs, 'gate');
  const y = gpu.allocate([...gate.shape], 'float32');
  launchItems(gpu, {
    key: 'swiglu',
    items: util.sizeFromShape(gate.shape),
    reads: { 'gate: f32': gate, 'up: f32': input(inputs, 'up') },
    writes: { 'y: f32': y },
    declarations: () => SIGMOID,
    body: () => /* wgsl */ `y[item] = gate[item] * sigmoid(gate[item]) * up[item];`,
  });
  return [y];
}

/** Outputs d gate and d up, both [N, F]. */
export function swigluGradientOnWebGpu(gpu: GpuDispatcher, inputs: Inputs): TensorInfo[] {
  const gate = input(inputs, 'gate');
  const dgate = gpu.allocate([...gate.shape], 'float32');
  const dup = gpu.allocate([...gate.shape], 'float32');
  launchItems(gpu, {
    key: 'swiglu-gradient',
    items: util.sizeFromShape(gate.shape),
    reads: { 'gate: f32': gate, 'up: f32': input(inputs, 'up'), 'dy: f32': input(inputs, 'dy') },
    writes: { 'dgate: f32': dgate, 'dup: f32': dup },
    declarations: () => SIGMOID,
    body: () => /* wgsl */ `
  let z = gate[item];
  let s = sigmoid(z);
  dgate[item] = dy[item] * up[item] * s * (1.0 + z * (1.0 - s));
  dup[item] = dy[item] * z * s;`,
  });
  return [dgate, dup];
}
