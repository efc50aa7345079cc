/** The SIMD kernels of `src/simd`, instantiated on the memory of tfjs' wasm backend. */
import { emscriptenModule } from './emscripten.ts';
import { callerOnly, startPool, type Pool } from './simdPool.ts';
import type { Kernel } from './simdTickets.ts';

export interface Simd {
  /** Threads that share out a kernel, the caller's included. */
  readonly threads: number;
  /** Runs a kernel on the calling thread. Throws where it does not exist or takes another number of arguments. */
  call(kernel: string, ...args: number[]): number;
  /**
   * Runs `kernel(first, last, …args)` over items 0 … items − 1, divided among the threads in multiples of `grain` items; where
   * there are no more than `grain` in all, the calling thread does them alone. The kernel must write disjoint outputs for
   * disjoint items, each the same however the items are divided. Returns when all is done.
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

/**
 * Compiles the kernels for a started backend, and starts threads where its memory is shared. Throws where the browser has no
 * SIMD.
 */
export async function loadSimd(backend: object, threads: number): Promise<Simd> {
  const known = loaded.get(backend);
  if (known) return known;
  const { wasmMemory, asm } = emscriptenModule(backend);
  const memory = wasmMemory ?? asm?.memory;
  if (!memory) throw new Error('tfjs-backend-wasm has changed: its memory was not found.');
  const shared = !(memory.buffer instanceof ArrayBuffer);
  const module = await compile(shared);
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  const kernels = Object.values(exports) as Kernel[];
  const pool =
    shared && threads > 1 ? await startPool(kernels, threads, { module, memory }) : callerOnly(kernels);
  const simd = namedKernels(Object.keys(exports), kernels, pool);
  loaded.set(backend, simd);
  return simd;
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

function namedKernels(names: readonly string[], kernels: readonly Kernel[], pool: Pool): Simd {
  const indices = new Map(names.map((name, i) => [name, i]));
  const find = (name: string, count: number): number => {
    const index = indices.get(name);
    if (index === undefined) throw new Error(`There is no SIMD kernel named ${name}.`);
    const takes = kernels[index]?.length;
    if (takes !== count) {
      throw new Error(`The SIMD kernel ${name} takes ${takes} arguments and was given ${count}.`);
    }
    return index;
  };
  return {
    threads: pool.threads,
    call: (name, ...args) => kernels[find(name, args.length)]?.(...args) ?? 0,
    parallel: (name, items, grain, ...args) => pool.run(find(name, args.length + 2), items, grain, args),
  };
}
