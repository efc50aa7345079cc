import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { RopeAttributes } from './attributes.ts';

export function ropeOnWasm(memory: HostMemory, inputs: Inputs, { inverse }: RopeAttributes): TensorInfo[] {
  const x = input(inputs, 'x');
  const cosines = input(inputs, 'cosines');
  const [rows = 0, width = 0] = x.shape;
  const half = cosines.shape[1] ?? 0;
  const y = memory.allocate([rows, width], 'float32');
  const xs = memory.floats(x);
  const ys = memory.floats(y);
  const positions = memory.ints(input(inputs, 'positions'));
  const cos = memory.floats(cosines);
  const sin = memory.floats(input(inputs, 'sines'));
  const sign = inverse ? -1 : 1;
  for (let row = 0; row < rows; row++) {
    const table = (positions[row] as number) * half;
    for (let head = row * width; head < (row + 1) * width; head += 2 * half) {
      for (let i = 0; i < half; i++) {
        const c = cos[table + i] as number;
        const s = sign * (sin[table + i] as number);
        const first = xs[head + i] as number;
        const second = xs[head + half + i] as number;
        ys[head + i] = first * c - second * s;
        ys[head + half + i] = second * c + first * s;
      }
    }
  }
  return [y];
}
