/** Access to tensors on the wasm heap: addresses for the SIMD kernels, typed arrays for loops in JavaScript. */
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import { emscriptenModule } from './emscripten.ts';
import { simdOf, type Simd } from './simd.ts';
import type { TensorInfo } from './tf.ts';

export interface HostMemory extends Simd {
  allocate(shape: number[], dtype: 'float32' | 'int32'): TensorInfo;
  /** Views hold only until the next allocation: growing the wasm heap moves it. Allocate first, then look. */
  floats(tensor: TensorInfo): Float32Array;
  ints(tensor: TensorInfo): Int32Array;
  /** Address in bytes of the element at `offset`. Holds as long as the tensor does. */
  pointer(tensor: TensorInfo, offset?: number): number;
  /**
   * Address in bytes of a block of at least `length` floats with whatever is in it. The next call hands out the same block:
   * a kernel that needs two parts asks for one block and divides it.
   */
  scratch(length: number): number;
}

const BYTES = 4;
const memories = new WeakMap<object, HostMemory>();

export function hostMemory(backend: object): HostMemory {
  const known = memories.get(backend);
  if (known) return known;
  const wasm = backend as BackendWasm;
  const simd = simdOf(backend);
  const heap = emscriptenModule(backend);
  let block = 0;
  let blockLength = 0;
  const memory: HostMemory = {
    ...simd,
    allocate: (shape, dtype) => wasm.makeOutput(shape, dtype),
    floats: (tensor) => wasm.typedArrayFromHeap(tensor) as Float32Array,
    ints: (tensor) => wasm.typedArrayFromHeap(tensor) as Int32Array,
    pointer: (tensor, offset = 0) => wasm.getMemoryOffset(tensor.dataId) + offset * BYTES,
    scratch(length) {
      if (length > blockLength) {
        if (block !== 0) heap._free(block);
        block = heap._malloc(length * BYTES) >>> 0;
        blockLength = length;
      }
      return block;
    },
  };
  memories.set(backend, memory);
  return memory;
}
