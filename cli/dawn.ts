/** WebGPU in Node: Dawn's package under the names that a browser has, with two of its gaps closed. */
import { availableParallelism } from 'node:os';
import { create, globals } from 'webgpu';

/** Call once, before anything asks for `navigator.gpu`. */
export function installDawn(): void {
  Object.assign(globalThis, globals);
  const navigator = { gpu: create([]), userAgent: 'Node.js', hardwareConcurrency: availableParallelism() };
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
  acceptEverySource();
}

/** `writeBuffer` of webgpu 0.6.2 refuses a DataView and crashes on shared memory; browsers take both. So it gets bytes. */
function acceptEverySource(): void {
  const original = Reflect.get(GPUQueue.prototype, 'writeBuffer') as (
    buffer: GPUBuffer,
    offset: number,
    bytes: Uint8Array,
  ) => undefined;
  GPUQueue.prototype.writeBuffer = function (this: GPUQueue, buffer, offset, source, first, size) {
    return original.call(this, buffer, offset, bytesOf(source, first, size));
  };
}

/** The part that `first` and `size` name, in elements of the source, in memory of its own where the source's is shared. */
function bytesOf(source: ArrayBufferView | ArrayBufferLike, first = 0, size?: number): Uint8Array {
  const view = ArrayBuffer.isView(source) ? source : new Uint8Array(source);
  const element = 'BYTES_PER_ELEMENT' in view ? Number(view.BYTES_PER_ELEMENT) : 1;
  const length = size === undefined ? view.byteLength - first * element : size * element;
  const bytes = new Uint8Array(view.buffer, view.byteOffset + first * element, length);
  return view.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes;
}
