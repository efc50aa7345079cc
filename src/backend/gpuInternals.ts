/** The members of tfjs-backend-webgpu 4.22.0 that raw dispatch needs; several are private in its types. */
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
  /** A copy on the host that reads are answered from; null after a write on the device. */
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

/** @throws where tfjs is not the version whose members these are. */
export function gpuInternals(backend: unknown): WebGpuInternals {
  if (tf.version_core !== '4.22.0') {
    throw new Error(
      `Raw dispatch was written for tfjs 4.22.0, found ${tf.version_core}. Pin tfjs to 4.22.0.`,
    );
  }
  return backend as WebGpuInternals;
}
