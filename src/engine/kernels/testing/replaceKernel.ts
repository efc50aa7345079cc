import { beforeAll } from 'vitest';
import { registerOp, WASM_BACKEND, WEBGPU_BACKEND, type WebGpuBody } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';

/** Gives an op another body on WebGPU in the calling `describe`, which runs its suite on the kernels of other devices. */
export function replaceWebGpuKernel<A>(name: string, webgpu: WebGpuBody<A>): void {
  const backends = [WASM_BACKEND, WEBGPU_BACKEND];
  const unregister = (): void => backends.forEach((backend) => tf.unregisterKernel(name, backend));
  const wasm = (): never => {
    throw new Error(`${name} has only the body for WebGPU here.`);
  };
  beforeAll(() => {
    const kernels = backends.map((backend) => tf.getKernel(name, backend));
    unregister();
    registerOp<A>({ name, wasm, webgpu });
    return () => {
      unregister();
      kernels.forEach(tf.registerKernel);
    };
  });
}
