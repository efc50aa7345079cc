/** The members of tfjs-backend-webgpu 4.22.0 that raw dispatch needs (some are private in its types), and bounds on its idle buffers. */
import * as tf from './tf.ts';
import type { TensorInfo } from './tf.ts';

export interface GpuBufferManager {
  readonly numBytesUsed: number;
  numBytesAllocated: number;
  numFreeBuffers: number;
  readonly freeBuffers: Map<string, GPUBuffer[]>;
  readonly usedBuffers: ReadonlyMap<string, readonly GPUBuffer[]>;
  acquireBuffer(size: number, usage: number, mappedAtCreation?: boolean, reuse?: boolean): GPUBuffer;
}

export interface GpuTensorData {
  resource?: GPUBuffer;
  /** A copy on the host from which reads are answered; null after a write on the device. */
  values: unknown;
}

export interface WebGpuInternals {
  readonly device: GPUDevice;
  readonly queue: GPUQueue;
  commandEncoder: GPUCommandEncoder | null;
  computePassEncoder: GPUComputePassEncoder | null;
  dispatchCountInPass: number;
  readonly bufferManager: GpuBufferManager;
  readonly tensorMap: { get(id: object): GpuTensorData };
  makeTensorInfo(shape: number[], dtype: 'float32' | 'int32'): TensorInfo;
  uploadToGPU(id: object): void;
  ensureCommandEncoderReady(): void;
  endComputePassEncoder(): void;
  submitQueue(): void;
  checkCompileCompletionAsync(): Promise<void>;
}

/** Returns the backend with these members. @throws Error if tfjs has another version. */
export function gpuInternals(backend: unknown): WebGpuInternals {
  if (tf.version_core !== '4.22.0') {
    throw new Error(
      `Raw dispatch was written for tfjs 4.22.0, found ${tf.version_core}. Pin tfjs to 4.22.0.`,
    );
  }
  return backend as WebGpuInternals;
}

/** The idle bytes that are allowed for each byte in use when most was in use. */
const IDLE_SHARE = 0.25;
/** The idle bytes that are always allowed. */
const MIN_IDLE = 4 * 2 ** 20;

/**
 * Bounds the memory of idle buffers. tfjs 4.22.0 keeps every freed buffer for a tensor of exactly its size and never gives one back, so
 * the memory of a run whose sequences vary in length would grow as long as new lengths come. Both functions must only be called when no
 * recorded work is waiting for submission.
 */
export interface IdleBuffers {
  /** Destroys idle buffers until they are few beside those in use. Sizes that were asked for least recently go first. */
  bound(): void;
  /**
   * Ends a step. It keeps those buffers that are in use now, and as many of each size as this step and the one before both had in use at
   * one time.
   */
  endStep(): void;
}

export function idleBuffers(manager: GpuBufferManager): IdleBuffers {
  const lastUse = new Map<string, number>();
  let uses = 0;
  let peak = 0;
  let mostInUse = new Map<string, number>();
  let mostInUseBefore = mostInUse;
  const acquire = manager.acquireBuffer.bind(manager);
  manager.acquireBuffer = (size, usage, mappedAtCreation, reuse) => {
    const key = `${size}_${usage}`;
    lastUse.set(key, uses++);
    const buffer = acquire(size, usage, mappedAtCreation, reuse);
    mostInUse.set(key, Math.max(mostInUse.get(key) ?? 0, inUse(key)));
    peak = Math.max(peak, manager.numBytesUsed);
    return buffer;
  };

  function inUse(key: string): number {
    return manager.usedBuffers.get(key)?.length ?? 0;
  }

  function destroyOne(buffers: GPUBuffer[]): boolean {
    const buffer = buffers.pop();
    if (!buffer) return false;
    manager.numFreeBuffers--;
    manager.numBytesAllocated -= buffer.size;
    buffer.destroy();
    return true;
  }

  return {
    bound() {
      const allowed = peak + Math.max(peak * IDLE_SHARE, MIN_IDLE);
      if (manager.numBytesAllocated <= allowed) return;
      const idle = [...manager.freeBuffers].filter(([, buffers]) => buffers.length > 0);
      idle.sort(([a], [b]) => (lastUse.get(a) ?? 0) - (lastUse.get(b) ?? 0));
      for (const [, buffers] of idle) {
        while (manager.numBytesAllocated > allowed) {
          if (!destroyOne(buffers)) break;
        }
      }
    },
    endStep() {
      for (const key of lastUse.keys()) if (!mostInUse.has(key)) lastUse.delete(key);
      for (const [key, buffers] of manager.freeBuffers) {
        const needed = Math.min(mostInUse.get(key) ?? 0, mostInUseBefore.get(key) ?? 0);
        while (buffers.length > 0 && inUse(key) + buffers.length > needed) destroyOne(buffers);
      }
      mostInUseBefore = mostInUse;
      mostInUse = new Map();
      peak = manager.numBytesUsed;
    },
  };
}
