import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { RmsNormAttributes } from './attributes.ts';

export function rmsNormOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { epsilon }: RmsNormAttributes,
): TensorInfo[] {
  const x = input(inputs, 'x');
  const [rows = 0, width = 0] = x.shape;
  const y = memory.allocate([rows, width], 'float32');
  const xs = memory.floats(x);
  const gammas = memory.floats(input(inputs, 'gamma'));
  const ys = memory.floats(y);
  for (let row = 0; row < rows; row++) {
    const base = row * width;
    const r = reciprocalRms(xs, base, width, epsilon);
    for (let i = 0; i < width; i++) ys[base + i] = (xs[base + i] as number) * r * (gammas[i] as number);
  }
  return [y];
}

/** Outputs dx [N, D] and dγ [D]. */
export function rmsNormGradientOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { epsilon }: RmsNormAttributes,
): TensorInfo[] {
  const x = input(inputs, 'x');
  const [rows = 0, width = 0] = x.shape;
  const dx = memory.allocate([rows, width], 'float32');
  const dgamma = memory.allocate([width], 'float32');
  const xs = memory.floats(x);
  const gammas = memory.floats(input(inputs, 'gamma'));
  const dys = memory.floats(input(inputs, 'dy'));
  const dxs = memory.floats(dx);
  const dgammaSums = new Float64Array(width);
  for (let row = 0; row < rows; row++) {
    const base = row * width;
    const r = reciprocalRms(xs, base, width, epsilon);
    let dot = 0;
    for (let i = 0; i < width; i++) {
      const product = (dys[base + i] as number) * (xs[base + i] as number);
      dot += product * (gammas[i] as number);
      dgammaSums[i] = (dgammaSums[i] as number) + product * r;
    }
    const pull = (dot / width) * r * r;
    for (let i = 0; i < width; i++) {
      dxs[base + i] =
        r * ((dys[base + i] as number) * (gammas[i] as number) - (xs[base + i] as number) * pull);
    }
  }
  memory.floats(dgamma).set(dgammaSums);
  return [dx, dgamma];
}

function reciprocalRms(values: Float32Array, base: number, width: number, epsilon: number): number {
  let sum = 0;
  for (let i = base; i < base + width; i++) sum += (values[i] as number) * (values[i] as number);
  return 1 / Math.sqrt(sum / width + epsilon);
}
