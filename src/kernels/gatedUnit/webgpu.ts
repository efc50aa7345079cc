import { u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';
import { widestPiece } from '../vectors.ts';

/** By the exponential of numbers that are never positive: WGSL may assume that infinity does not occur. */
const sigmoid = (type: string): string => /* wgsl */ `
fn sigmoid(z: ${type}) -> ${type} {
  let e = exp(-abs(z));
  return select(e, ${type}(1.0), z >= ${type}()) / (1.0 + e);
}`;

/** An item is one piece of a row of `pieces`; a row of the input is two of those. */
const FIND_PIECES = /* wgsl */ `
  let gateAt = item + item / params.pieces * params.pieces;
  let upAt = gateAt + params.pieces;
  let z = gateUp[gateAt];
  let s = sigmoid(z);`;

export function gatedUnitOnWebGpu(gpu: GpuDispatcher, inputs: Inputs): TensorInfo[] {
  const gateUp = input(inputs, 'gateUp');
  const [rows = 0, doubleWidth = 0] = gateUp.shape;
  const width = doubleWidth / 2;
  const { type, size } = widestPiece(width);
  const y = gpu.allocate([rows, width], 'float32');
  launchItems(gpu, {
    key: `gated-unit-${type}`,
    items: (rows * width) / size,
    reads: { [`gateUp: ${type}`]: gateUp },
    writes: { [`y: ${type}`]: y },
    uniforms: { pieces: u32(width / size) },
    declarations: () => sigmoid(type),
    body: () => /* wgsl */ `${FIND_PIECES}
  y[item] = z * s * gateUp[upAt];`,
  });
  return [y];
}

/** Output d gateUp [N, 2·F]. */
export function gatedUnitGradientOnWebGpu(gpu: GpuDispatcher, inputs: Inputs): TensorInfo[] {
  const gateUp = input(inputs, 'gateUp');
  const dy = input(inputs, 'dy');
  const [rows = 0, width = 0] = dy.shape;
  const { type, size } = widestPiece(width);
  const dgateUp = gpu.allocate([rows, 2 * width], 'float32');
  launchItems(gpu, {
    key: `gated-unit-gradient-${type}`,
    items: (rows * width) / size,
    reads: { [`gateUp: ${type}`]: gateUp, [`dy: ${type}`]: dy },
    writes: { [`dgateUp: ${type}`]: dgateUp },
    uniforms: { pieces: u32(width / size) },
    declarations: () => sigmoid(type),
    body: () => /* wgsl */ `${FIND_PIECES}
  let d = dy[item];
  dgateUp[gateAt] = d * gateUp[upAt] * s * (1.0 + z * (1.0 - s));
  dgateUp[upAt] = d * z * s;`,
  });
  return [dgateUp];
}
