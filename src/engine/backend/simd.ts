/** The SIMD kernels of `src/engine/simd`, instantiated on the memory of tfjs' wasm backend, and the threads that share them out. */
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import { bytesOfBase64 } from '@rl-playground/base/base64';
import { canDeflate, inflated } from '@rl-playground/base/deflate';
import type { Deadline } from '@rl-playground/base/deadline';
import { callerOnly, startPool, type Pool } from './simdPool.ts';
import type { Kernel } from './simdTickets.ts';

export interface Simd {
  /** Threads that share out a kernel, the caller's included. */
  readonly threads: number;
  /** True if a product and the sum that it goes into are rounded once. */
  readonly fused: boolean;
  /** Runs a kernel on the calling thread. @throws Error if it does not exist or takes another number of arguments. */
  call(kernel: string, ...args: number[]): number;
  /**
   * Runs `kernel(first, last, …args)` over items 0 … items − 1, divided among the threads in multiples of `grain` items. The calling
   * thread does up to `grain` items alone. The kernel must write disjoint outputs for disjoint items, each the same however the items are
   * divided. The call returns when all is done.
   */
  parallel(kernel: string, items: number, grain: number, ...args: number[]): void;
}

/** The kernels of a backend. */
interface LoadedSimd extends Simd {
  /** Resolves to the same kernels on shared memory that may be another thread's heap, run by the same threads. */
  on(memory: WebAssembly.Memory): Promise<Simd>;
}

const loaded = new WeakMap<object, LoadedSimd>();

/** The members of tfjs' Emscripten module that tfjs does not declare: the memory, and the allocator of its heap. */
interface EmscriptenModule {
  /** Takes bytes and returns an address, which is negative above 2 GB. */
  _malloc: (bytes: number) => number;
  _free: (address: number) => void;
  /** The threaded build has its memory here, the others in `asm`. */
  readonly wasmMemory?: WebAssembly.Memory;
  readonly asm?: { readonly memory?: WebAssembly.Memory };
}

export function emscriptenModule(backend: object): EmscriptenModule {
  const { wasm } = backend as BackendWasm;
  return wasm as unknown as EmscriptenModule;
}

/** The memory of a heap. */
export function memoryOf({ wasmMemory, asm }: EmscriptenModule): WebAssembly.Memory {
  const memory = wasmMemory ?? asm?.memory;
  if (!memory) throw new Error('tfjs-backend-wasm has changed: its memory was not found.');
  return memory;
}

/** Returns the kernels that `loadSimd` prepared for this backend. */
export function simdOf(backend: object): LoadedSimd {
  const simd = loaded.get(backend);
  if (!simd) throw new Error('The wasm backend was not started by startBackend: it has no SIMD kernels.');
  return simd;
}

/** A module with one function, which multiplies and adds in one instruction. */
const RELAXED_SIMD = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x01, 0x60, 0x03, 0x7b, 0x7b, 0x7b, 0x01, 0x7b,
  0x03, 0x02, 0x01, 0x00, 0x0a, 0x0d, 0x01, 0x0b, 0x00, 0x20, 0x00, 0x20, 0x01, 0x20, 0x02, 0xfd, 0x85, 0x02,
  0x0b,
]);

/** True if this engine can round a product and the sum that it goes into once. */
export function canFuseProducts(): boolean {
  return WebAssembly.validate(RELAXED_SIMD);
}

/**
 * Compiles the kernels for a started backend, and starts threads if its memory is shared. `fused` lets products and sums be one
 * instruction where the browser has relaxed SIMD. `deadline` is the one of the threads. @throws Error if the browser is too old.
 */
export async function loadSimd(
  backend: object,
  threads: number,
  fused: boolean,
  deadline?: Deadline,
): Promise<Simd> {
  const known = loaded.get(backend);
  if (known) return known;
  const memory = memoryOf(emscriptenModule(backend));
  const shared = !(memory.buffer instanceof ArrayBuffer);
  const once = fused && canFuseProducts();
  const module = await compileKernels(shared, once);
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  const kernels = Object.values(exports) as Kernel[];
  const pool =
    shared && threads > 1
      ? await startPool(kernels, threads, { module, memory }, deadline)
      : callerOnly(kernels);
  const simd: LoadedSimd = {
    ...namedKernels(Object.keys(exports), kernels, pool, once),
    async on(other) {
      const theirs = shared ? module : await compileKernels(true, once);
      const there = await WebAssembly.instantiate(theirs, { env: { memory: other } });
      const more = Object.values(there.exports) as Kernel[];
      const first = await pool.add(more, { module: theirs, memory: other });
      return namedKernels(Object.keys(there.exports), more, pool, once, first);
    },
  };
  loaded.set(backend, simd);
  return simd;
}

const VARIANTS = {
  shared: () => import('virtual:simd-kernels/shared'),
  'shared-fused': () => import('virtual:simd-kernels/shared-fused'),
  unshared: () => import('virtual:simd-kernels/unshared'),
  'unshared-fused': () => import('virtual:simd-kernels/unshared-fused'),
} as const;

const TOO_OLD =
  'This browser has no WebAssembly SIMD or cannot inflate, and training on the CPU needs both. Browsers of today have them ' +
  '(from Chrome 103, Firefox 113 and Safari 16.4 on): update the browser, or use a GPU: ?backend=webgpu';

/** Compiles the kernels for a memory that is shared between threads or not. @throws Error if the browser is too old for them. */
export async function compileKernels(shared: boolean, fused: boolean): Promise<WebAssembly.Module> {
  if (!canDeflate()) throw new Error(TOO_OLD);
  const { default: base64 } = await VARIANTS[`${shared ? 'shared' : 'unshared'}${fused ? '-fused' : ''}`]();
  const bytes = await inflated(bytesOfBase64(base64));
  if (!WebAssembly.validate(bytes)) throw new Error(TOO_OLD);
  return WebAssembly.compile(bytes);
}

/** Kernels by their names; `first` is the number of the first of them in the pool. */
function namedKernels(
  names: readonly string[],
  kernels: readonly Kernel[],
  pool: Pool,
  fused: boolean,
  first = 0,
): Simd {
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
    fused,
    call: (name, ...args) => kernels[find(name, args.length)]?.(...args) ?? 0,
    parallel: (name, items, grain, ...args) =>
      pool.run(first + find(name, args.length + 2), items, grain, args),
  };
}
