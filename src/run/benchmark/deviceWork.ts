/** Copies and products as work that is timed, on the running backend. */
import { backendKind, gemm, gpuDispatcher, tf, workDone } from '@rl-playground/engine/parts/tensors';
import { kernelLimits } from '@rl-playground/engine/parts';

export interface Work {
  /** The work of one run in the unit of its figure: billions of bytes, billions of operations, tokens or updates. */
  readonly amount: number;
  readonly run: () => Promise<void>;
  readonly dispose: () => void;
}

const MEBIBYTE = 2 ** 20;

/** Copies from one buffer to another. Each byte counts twice, because it is read and written. */
export function copyWork(isHardware: boolean): Work {
  // More than caches hold, and enough of it to last longer than the wait for its end.
  const [wanted, times] = isHardware ? [64 * MEBIBYTE, 128] : [32 * MEBIBYTE, 8];
  if (backendKind() === 'wasm') {
    const from = new Uint8Array(wanted).fill(1);
    const to = new Uint8Array(wanted);
    const run = async (): Promise<void> => {
      for (let i = 0; i < times; i++) to.set(from);
    };
    return { amount: (2 * times * wanted) / 1e9, run, dispose: () => undefined };
  }
  const { device } = gpuDispatcher(tf.backend());
  const size = Math.min(wanted, kernelLimits(device).maxBufferSize);
  const from = device.createBuffer({ size, usage: GPUBufferUsage.COPY_SRC });
  const to = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST });
  const run = async (): Promise<void> => {
    const encoder = device.createCommandEncoder();
    for (let i = 0; i < times; i++) encoder.copyBufferToBuffer(from, 0, to, 0, size);
    device.queue.submit([encoder.finish()]);
    await workDone();
  };
  const dispose = (): void => {
    from.destroy();
    to.destroy();
  };
  return { amount: (2 * times * size) / 1e9, run, dispose };
}

/** The rows of the square matrices that are multiplied. */
export const productSize = (isHardware: boolean): number => (isHardware ? 1024 : 256);

/** Products of square matrices of random numbers. A multiplication and an addition are two operations. */
export function productWork(isHardware: boolean): Work {
  const size = productSize(isHardware);
  const times = isHardware ? 64 : 16;
  const random = (): tf.Tensor2D => tf.randomUniform<tf.Rank.R2>([size, size], -1, 1);
  const [a, b] = [random(), random()];
  const run = async (): Promise<void> => {
    for (let i = 0; i < times; i++) gemm(a, b, 'nn').dispose();
    await workDone();
  };
  return { amount: (times * 2 * size ** 3) / 1e9, run, dispose: () => tf.dispose([a, b]) };
}
