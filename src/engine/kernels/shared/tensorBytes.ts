/** Reads and writes the bytes of tensors on the running backend. Nothing of them stays in JavaScript. */
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { hostMemory } from '../../backend/host.ts';
import { backendKind, input, registerOp, runInPlace } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';

interface WriteAttributes {
  readonly firstByte: number;
  readonly bytes: Uint8Array;
}

registerOp<WriteAttributes>({
  name: 'RlWrite',
  wasm(memory, inputs, { firstByte, bytes }) {
    memory.bytes(input(inputs, 'target')).set(bytes, firstByte);
    return [];
  },
  webgpu(gpu, inputs, { firstByte, bytes }) {
    gpu.write(input(inputs, 'target'), firstByte, bytes);
    return [];
  },
});

/** Writes bytes into a tensor on its device, from memory that may be shared. */
export function writeBytes(target: tf.Tensor, firstByte: number, bytes: Uint8Array): void {
  runInPlace('RlWrite', { target }, { firstByte, bytes });
}

/** Fills `target`, which may be shared memory, with bytes of a tensor. tf's own `data()` would also keep the bytes that it reads from WebGPU. */
export async function readBytes(tensor: tf.Tensor, firstByte: number, target: Uint8Array): Promise<void> {
  if (backendKind() === 'webgpu') return gpuDispatcher(tf.backend()).read(tensor, firstByte, target);
  const bytes = hostMemory(tf.backend()).bytes(tensor);
  target.set(bytes.subarray(firstByte, firstByte + target.byteLength));
}

/** Reads all numbers of a float32 tensor, into `target` if it is given. */
export async function readFloats(
  tensor: tf.Tensor,
  target: Float32Array = new Float32Array(tensor.size),
): Promise<Float32Array> {
  await readBytes(tensor, 0, new Uint8Array(target.buffer, target.byteOffset, target.byteLength));
  return target;
}
