/** Typed-array access to tensors on the wasm heap, for the portable twins of our kernels. */
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import type { TensorInfo } from './tf.ts';

export interface HostMemory {
  allocate(shape: number[], dtype: 'float32' | 'int32'): TensorInfo;
  /** Views hold only until the next allocation: growing the wasm heap moves it. Allocate first, then look. */
  floats(tensor: TensorInfo): Float32Array;
  ints(tensor: TensorInfo): Int32Array;
}

const memories = new WeakMap<object, HostMemory>();

export function hostMemory(backend: object): HostMemory {
  const known = memories.get(backend);
  if (known) return known;
  const wasm = backend as BackendWasm;
  const memory: HostMemory = {
    allocate: (shape, dtype) => wasm.makeOutput(shape, dtype),
    floats: (tensor) => wasm.typedArrayFromHeap(tensor) as Float32Array,
    ints: (tensor) => wasm.typedArrayFromHeap(tensor) as Int32Array,
  };
  memories.set(backend, memory);
  return memory;
}
