/** What tfjs' wasm backend does not declare of its Emscripten module: the memory, and the allocator of its heap. */
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';

export interface EmscriptenModule {
  /** Bytes in, address out; above 2 GB it comes back negative. */
  _malloc(bytes: number): number;
  _free(address: number): void;
  /** The threaded build has its memory here, the others in `asm`. */
  readonly wasmMemory?: WebAssembly.Memory;
  readonly asm?: { readonly memory?: WebAssembly.Memory };
}

export function emscriptenModule(backend: object): EmscriptenModule {
  const { wasm } = backend as BackendWasm;
  return wasm as unknown as EmscriptenModule;
}
