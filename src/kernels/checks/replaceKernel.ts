import { registerOp, WASM_BACKEND, WEBGPU_BACKEND, type WebGpuBody } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';

/** Gives an op another body on WebGPU, for good: to run its suite on the kernels of devices that are not here. */
export function replaceWebGpuKernel<A>(name: string, webgpu: WebGpuBody<A>): void {
  for (const backend of [WASM_BACKEND, WEBGPU_BACKEND]) tf.unregisterKernel(name, backend);
  const wasm = (): never => {
    throw new Error(`${name} has only the body for WebGPU here.`);
  };
  registerOp<A>({ name, wasm, webgpu });
}
