/** Chooses and starts a backend: our own WebGPU device under tfjs, or tfjs' wasm. Works in a page, a worker and Node. */
import type { Deadline } from '@rl-playground/base/deadline';
import { sharesMemory } from './sharedMemory.ts';
import * as tf from './tf.ts';
import { deviceLine, findAdapter, openDevice, type DeviceLimits, type FoundAdapter } from './device.ts';
import { asAdapterInfo } from './adapterFacts.ts';
import { isLost, releaseDevice } from './deviceHealth.ts';
import { loadSimd } from './simd.ts';
import { WASM_BACKEND, WEBGPU_BACKEND } from './kernelRegistry.ts';

export interface BackendInfo {
  readonly backend: 'webgpu' | 'wasm';
  /** One line for a person: "NVIDIA … · f16 · 4 GB buffers" or "No GPU found: running on CPU (wasm) …". */
  readonly line: string;
  readonly software: boolean;
  readonly threads: number;
  /** The backends that this machine can run. The page shows a switch if there are several. */
  readonly available: readonly ('webgpu' | 'wasm')[];
  /** The memory of the GPU in bytes, if it is known: no browser tells. */
  readonly gpuBytes?: number;
}

export type WasmPath = string | Readonly<Record<string, string>>;

export interface StartOptions {
  /** tfjs' wasm files: their folder, with the closing slash (an address in a page or worker, a path in Node), or the address of each by its name. */
  readonly wasmPath?: WasmPath;
  /** Threads of the wasm backend, if the page may have them; by default one for each core. */
  readonly threads?: number;
  /**
   * Allows the wasm backend to round a product and the sum that it goes into once (relaxed SIMD), which is faster; true by default.
   * Otherwise, and on hardware that can't do it, results differ in their last bits.
   */
  readonly fusedProducts?: boolean;
  /** The longest time that threads may keep a part of the work; by default 20 s plus 20 times the duration of their last kernel. */
  readonly deadline?: Deadline;
  /** The reason for wasm, in a sentence, where it is not the user's choice. */
  readonly because?: string;
  /** The limits of a GPU device that this call opens; those of the adapter by default. */
  readonly limits?: DeviceLimits;
}

/** The most threads: kernels of this size gain nothing from more. */
const MAX_THREADS = 16;

/**
 * Starts a backend and makes it current. `null` chooses WebGPU on a hardware adapter and wasm elsewhere. A later call may switch; tensors
 * belong to the backend that made them.
 *
 * @throws Error saying what is missing if the chosen backend can't run.
 */
export async function startBackend(
  choice: 'webgpu' | 'wasm' | null,
  options: StartOptions = {},
): Promise<BackendInfo> {
  const found = await findAdapter();
  const available = found ? (['webgpu', 'wasm'] as const) : (['wasm'] as const);
  if (choice === 'webgpu' && !found) {
    throw new Error(
      'The WebGPU backend was asked for, but this browser offers no GPU adapter. ' +
        'Turn on hardware acceleration, update the browser or the driver, or use the CPU: ?backend=wasm',
    );
  }
  let reason = options.because ? `${options.because} Running on CPU (wasm)` : wasmReason(found);
  if (found && (choice === 'webgpu' || (choice === null && !found.facts.software))) {
    try {
      const line = await startWebGpu(found, options.limits);
      return { backend: 'webgpu', line, software: found.facts.software, threads: 1, available };
    } catch (error) {
      if (choice === 'webgpu') throw error;
      reason = `${found.name} gave no device (${String(error)}): running on CPU (wasm)`;
    }
  }
  const { threads, features } = await startWasm(options);
  return { backend: 'wasm', line: `${reason}, ${features}`, software: true, threads, available };
}

interface OpenGpu {
  readonly line: string;
  readonly device: GPUDevice;
  readonly limits: DeviceLimits;
}

let openGpu: OpenGpu | null = null;
let kernelsCopied = false;

/** True if one of our backends is current. */
export function isStarted(): boolean {
  return [WEBGPU_BACKEND, WASM_BACKEND].includes(tf.getBackend());
}

/** Returns the limits with which the GPU device was opened, so that generators open theirs alike. */
export function openLimits(): DeviceLimits {
  return openGpu?.limits ?? 'adapter';
}

/**
 * The backend while there is no device. Without it, any code that asks tfjs for a backend would start one of tfjs' own, and tfjs refuses
 * every other one until that has started.
 */
const NO_BACKEND = 'rl-closed';

/** Closes the GPU device with all its tensors and whatever failed calls have left on it. The next start opens another device. */
export function closeGpu(): void {
  if (!openGpu) return;
  const wasCurrent = tf.getBackend() === WEBGPU_BACKEND;
  if (tf.findBackendFactory(NO_BACKEND) === null)
    tf.registerBackend(NO_BACKEND, () => new tf.KernelBackend());
  // The switch takes effect at once, because the factory waits for nothing.
  if (wasCurrent) void tf.setBackend(NO_BACKEND);
  tf.removeBackend(WEBGPU_BACKEND);
  releaseDevice(openGpu.device);
  openGpu = null;
}

async function startWebGpu(found: FoundAdapter, limits: DeviceLimits = 'adapter'): Promise<string> {
  if (openGpu && isLost(openGpu.device)) closeGpu();
  openGpu ??= await registerWebGpu(found, limits);
  await makeCurrent(WEBGPU_BACKEND, openGpu.line);
  return openGpu.line;
}

async function registerWebGpu(found: FoundAdapter, limits: DeviceLimits): Promise<OpenGpu> {
  const { WebGPUBackend } = await import('@tensorflow/tfjs-backend-webgpu');
  // The split-K product of tfjs 4.22.0 ignores transposeB; the packed one (3) is right and sums in a fixed order.
  tf.env().set('WEBGPU_MATMUL_PROGRAM_TYPE', 3);
  // Small ops on the CPU would make results depend on the batch size.
  tf.env().set('WEBGPU_CPU_FORWARD', false);
  const device = await openDevice(found, limits);
  const backend = new WebGPUBackend(device, asAdapterInfo(found.facts));
  if (!kernelsCopied) tf.copyRegisteredKernels('webgpu', WEBGPU_BACKEND);
  kernelsCopied = true;
  tf.registerBackend(WEBGPU_BACKEND, () => backend);
  return { line: deviceLine(found, device), device, limits };
}

async function startWasm(options: StartOptions): Promise<{ threads: number; features: string }> {
  const wasm = await import('@tensorflow/tfjs-backend-wasm');
  const running = tf.engine().registry[WASM_BACKEND] !== undefined;
  const wanted = wantedThreads(options);
  if (!running) {
    if (options.wasmPath !== undefined)
      wasm.setWasmPaths(typeof options.wasmPath === 'string' ? options.wasmPath : { ...options.wasmPath });
    // The threaded build is used for its shared memory alone: its own threads would spin on the cores where ours compute.
    tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', wanted > 1);
    wasm.setThreadsCount(1);
  }
  await makeCurrent(WASM_BACKEND, `wasm files at ${placeOf(options.wasmPath)}`);
  const { threads } = await loadSimd(tf.backend(), wanted, options.fusedProducts ?? true, options.deadline);
  return { threads, features: `SIMD, ${threadsText(threads)}` };
}

function placeOf(wasmPath: WasmPath = 'their default address'): string {
  return typeof wasmPath === 'string' ? wasmPath : Object.values(wasmPath).join(', ');
}

function wantedThreads({ threads }: StartOptions): number {
  if (!sharesMemory()) return 1;
  return Math.min(threads ?? globalThis.navigator.hardwareConcurrency, MAX_THREADS);
}

function threadsText(threads: number): string {
  if (threads > 1) return `${threads} threads`;
  if (!('crossOriginIsolated' in globalThis)) return '1 thread';
  if (!globalThis.crossOriginIsolated) return 'threads off: page is not cross-origin isolated';
  return sharesMemory() ? '1 thread' : 'threads off: this browser shares no memory';
}

function wasmReason(found: FoundAdapter | null): string {
  if (!found) return 'No GPU found: running on CPU (wasm)';
  if (found.facts.software) return `No hardware GPU found, only ${found.name}: running on CPU (wasm)`;
  return `Running on CPU (wasm) as chosen, not on ${found.name}`;
}

async function makeCurrent(name: string, what: string): Promise<void> {
  const started = await tf.setBackend(name);
  if (!started)
    throw new Error(`The backend did not start (${what}). The console says why; reload the page.`);
}
