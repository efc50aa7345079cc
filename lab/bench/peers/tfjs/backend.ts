/**
 * The stock tfjs backend, as an application that only uses tfjs has it. In a realm of its own nothing else is there; where
 * it shares tfjs' engine with ours (Node), each use switches backend and flags and switches them back.
 */
import * as tf from '@tensorflow/tfjs';
import type { Environment, Prepared } from '../../types.ts';

/** The packed product everywhere: tfjs' own choice takes split-K, which is wrong for a transposed right side (4.22.0). */
const PACKED_PRODUCT = 3;

export interface StockBackend {
  readonly name: 'webgpu' | 'wasm';
  /** Runs `work` with this backend current. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when everything that was started on the device is done. */
  finish(): Promise<void>;
}

interface Queued {
  readonly device: GPUDevice;
  readonly commandEncoder: GPUCommandEncoder | null;
  endComputePassEncoder(): void;
  submitQueue(): void;
}

export async function startStockBackend({ backend, wasmPath, threads }: Environment): Promise<StockBackend> {
  if (backend === 'webgpu') await import('@tensorflow/tfjs-backend-webgpu');
  else await startWasm(wasmPath, threads);
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = tf.engine().backendName;
    const flags = { ...tf.env().getFlags() };
    if (backend === 'webgpu') {
      tf.env().set('WEBGPU_MATMUL_PROGRAM_TYPE', PACKED_PRODUCT);
      tf.env().set('WEBGPU_CPU_FORWARD', true);
    }
    if (!(await tf.setBackend(backend))) throw new Error(`tfjs' ${backend} backend did not start.`);
    try {
      return await work();
    } finally {
      tf.env().setFlags(flags);
      if (before) await tf.setBackend(before);
    }
  };
  await run(() => Promise.resolve());
  return {
    name: backend,
    run,
    async finish() {
      if (backend === 'wasm') return;
      const internals = tf.engine().findBackend('webgpu') as unknown as Queued;
      internals.endComputePassEncoder();
      if (internals.commandEncoder) internals.submitQueue();
      await internals.device.queue.onSubmittedWorkDone();
    },
  };
}

async function startWasm(wasmPath: string, threads: number): Promise<void> {
  const wasm = await import('@tensorflow/tfjs-backend-wasm');
  if (tf.engine().registry['wasm'] !== undefined) return;
  wasm.setWasmPaths(wasmPath);
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', threads > 1);
  wasm.setThreadsCount(threads);
}

/** A workload whose every step runs on the stock backend. */
export async function preparedOn(stock: StockBackend, prepare: () => Promise<Prepared>): Promise<Prepared> {
  const prepared = await stock.run(prepare);
  return {
    check: prepared.check,
    run: () => stock.run(() => prepared.run()),
    dispose: () => stock.run(async () => prepared.dispose()),
  };
}
