/** Access to tensors on the wasm heap: addresses for the SIMD kernels, typed arrays for loops in JavaScript. */
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import { emscriptenModule, memoryOf, simdOf, type Simd } from './simd.ts';
import { MemoryError } from './memoryError.ts';
import { util, type TensorInfo } from './tf.ts';

export interface HostMemory extends Simd {
  allocate(shape: number[], dtype: 'float32' | 'int32'): TensorInfo;
  /** Returns a view that is valid only until the next allocation, because growing the wasm heap moves it. Allocate first, then look. */
  floats(tensor: TensorInfo): Float32Array;
  ints(tensor: TensorInfo): Int32Array;
  bytes(tensor: TensorInfo): Uint8Array;
  /** All floats of the heap, a view like the others. */
  heapFloats(): Float32Array;
  /** Returns the address in bytes of the element at `offset`. It is valid as long as the tensor is. */
  pointer(tensor: TensorInfo, offset?: number): number;
  /**
   * Returns the address in bytes of a block of at least `length` floats with undefined contents, at the start of a cache line. The next
   * call returns the same block: a kernel that needs two parts asks for one block and divides it, among threads by `ownPart` in
   * `src/engine/simd/vector.ts`.
   */
  scratch(length: number): number;
}

const BYTES = 4;
const CACHE_LINE = 64;
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
    allocate(shape, dtype) {
      const tensor = wasm.makeOutput(shape, dtype);
      if (wasm.getMemoryOffset(tensor.dataId) === 0) throw outOfMemory(util.sizeFromShape(shape) * BYTES);
      return tensor;
    },
    floats: (tensor) => wasm.typedArrayFromHeap(tensor) as Float32Array,
    ints: (tensor) => wasm.typedArrayFromHeap(tensor) as Int32Array,
    bytes(tensor) {
      const { buffer, byteOffset, byteLength } = wasm.typedArrayFromHeap(tensor);
      return new Uint8Array(buffer, byteOffset, byteLength);
    },
    heapFloats: () => new Float32Array(memoryOf(heap).buffer),
    pointer: (tensor, offset = 0) => wasm.getMemoryOffset(tensor.dataId) + offset * BYTES,
    scratch(length) {
      if (length > blockLength) {
        if (block !== 0) heap._free(block);
        block = heap._malloc(length * BYTES + CACHE_LINE) >>> 0;
        if (block === 0) throw outOfMemory(length * BYTES);
        blockLength = length;
      }
      return Math.ceil(block / CACHE_LINE) * CACHE_LINE;
    },
  };
  memories.set(backend, memory);
  return memory;
}

function outOfMemory(bytes: number): Error {
  return new MemoryError(
    `The wasm backend has no ${Math.ceil(bytes / 2 ** 20)} MB left; its memory ends at 4 GB. ` +
      'Use a smaller model, batch or length, or reload the page to free what is held.',
  );
}
