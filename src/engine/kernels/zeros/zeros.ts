/**
 * Makes zeros on the device. `tf.zeros` makes them in JavaScript and copies them to the device, and `tf.fill` writes to memory that
 * threads share one number at a time, which for the moments of a large adapter holds the page's thread up.
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { launchItems } from '../shared/launch.ts';

interface ZerosAttributes {
  readonly length: number;
}

/** The least elements of one thread. */
const GRAIN = 65_536;

registerOp<ZerosAttributes>({
  name: 'RlZeros',
  wasm(memory, _inputs, { length }) {
    const zeros = memory.allocate([length], 'float32');
    memory.parallel('fill', length, GRAIN, memory.pointer(zeros), 0);
    return [zeros];
  },
  webgpu(gpu, _inputs, { length }) {
    const zeros = gpu.allocate([length], 'float32');
    launchItems(gpu, {
      key: 'zeros',
      items: length,
      writes: { 'y: f32': zeros },
      body: () => /* wgsl */ `
  y[item] = 0.0;`,
    });
    return [zeros];
  },
});

/** Zeros [length] in f32. */
export function zeros(length: number): tf.Tensor1D {
  return runSingle('RlZeros', {}, { length }) as tf.Tensor1D;
}
