/** The SIMD kernels of `src/simd`, instantiated on the memory of tfjs' wasm backend. */
import { emscriptenModule } from './emscripten.ts';

/** A compiled kernel: addresses in bytes, sizes in elements. */
type Kernel = (...args: number[]) => number | undefined;

export interface Simd {
  /** Runs a kernel on the calling thread. Throws where it does not exist or takes another number of arguments. */
  call(kernel: string, ...args: number[]): number;
  /**
   * Runs `kernel(first, last, …args)` over items 0 … items − 1, divided among the threads in parts of at least `grain`
   * items. The kernel must write disjoint outputs for disjoint items. Returns when all is done.
   */
  parallel(kernel: string, items: number, grain: number, ...args: number[]): void;
}

const loaded = new WeakMap<object, Simd>();

/** What `loadSimd` prepared for this backend. */
export function simdOf(backend: object): Simd {
  const simd = loaded.get(backend);
  if (!simd) throw new Error('The wasm backend was not started by startBackend: it has no SIMD kernels.');
  return simd;
}

/** Compiles the kernels for a started backend. Throws where the browser has no SIMD. */
export async function loadSimd(backend: object): Promise<void> {
  if (loaded.has(backend)) return;
  const { wasmMemory, asm } = emscriptenModule(backend);
  const memory = wasmMemory ?? asm?.memory;
  if (!memory) throw new Error('tfjs-backend-wasm has changed: its memory was not found.');
  const module = await compile(!(memory.buffer instanceof ArrayBuffer));
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  loaded.set(backend, simd(exports));
}

async function compile(shared: boolean): Promise<WebAssembly.Module> {
  const { default: base64 } = shared
    ? await import('virtual:simd-kernels/shared')
    : await import('virtual:simd-kernels/unshared');
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (!WebAssembly.validate(bytes)) {
    throw new Error(
      'This browser has no WebAssembly SIMD, which training on the CPU needs. Browsers since 2021 have it ' +
        '(Chrome 91, Firefox 89, Safari 16.4): update the browser, or use a GPU: ?backend=webgpu',
    );
  }
  return WebAssembly.compile(bytes);
}

function simd(exports: WebAssembly.Exports): Simd {
  const find = (name: string, count: number): Kernel => {
    const kernel = exports[name];
    if (typeof kernel !== 'function') throw new Error(`There is no SIMD kernel named ${name}.`);
    if (kernel.length !== count) {
      throw new Error(`The SIMD kernel ${name} takes ${kernel.length} arguments and was given ${count}.`);
    }
    return kernel as Kernel;
  };
  return {
    call: (name, ...args) => find(name, args.length)(...args) ?? 0,
    parallel(name, items, _grain, ...args) {
      find(name, args.length + 2)(0, items, ...args);
    },
  };
}
