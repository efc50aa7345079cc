/**
 * Guards against buffers that a device can't give. WebGPU hands out an invalid buffer in place of an error, and everything that touches
 * it computes nothing. So sizes are compared with the limits before anything is asked for, and a buffer for which memory was missing is
 * never used again.
 */
import { grouped } from '@rl-playground/base/text';
import { kernelLimits } from './adapterFacts.ts';
import { reportDeviceProblem } from './deviceHealth.ts';
import type { WebGpuInternals } from './gpuInternals.ts';
import { MemoryError } from './memoryError.ts';

const REMEDY =
  'Take shorter or fewer answers, fewer tokens a microbatch, LoRA in place of full training, or a smaller model.';

/** The smallest buffer, in bytes, whose allocation is watched. A smaller one seldom lacks memory, and an error scope costs more than it tells. */
const ASKED_FROM = 2 ** 20;

/** The largest buffer for `usage`, in bytes: a buffer that a shader reads is bound whole. */
export function largestBuffer(
  {
    maxBufferSize,
    maxStorageBufferBindingSize,
  }: Pick<GPUSupportedLimits, 'maxBufferSize' | 'maxStorageBufferBindingSize'>,
  usage: number,
): number {
  const bound = (usage & GPUBufferUsage.STORAGE) !== 0;
  return bound ? Math.min(maxBufferSize, maxStorageBufferBindingSize) : maxBufferSize;
}

/** @throws MemoryError if `bytes` are more than `allowed`. */
export function checkBufferSize(bytes: number, allowed: number, what = 'A tensor'): void {
  if (bytes <= allowed) return;
  throw new MemoryError(
    `${what} needs a GPU buffer of ${grouped(bytes)} bytes; this GPU allows ${grouped(allowed)}. ${REMEDY}`,
  );
}

/** Makes the backend's own allocations throw MemoryError beyond a limit, and report when memory has run out. */
export function guardBuffers({ device, bufferManager: manager }: WebGpuInternals): void {
  const invalid = new WeakSet<GPUBuffer>();
  const acquire = manager.acquireBuffer.bind(manager);

  function ask(...request: Parameters<typeof acquire>): GPUBuffer {
    const [size, usage] = request;
    if (size < ASKED_FROM) return acquire(...request);
    const allocated = manager.numBytesAllocated;
    device.pushErrorScope('out-of-memory');
    try {
      return acquire(...request);
    } finally {
      const made = manager.numBytesAllocated > allocated;
      const buffer = made ? manager.usedBuffers.get(`${size}_${usage}`)?.at(-1) : undefined;
      void device.popErrorScope().then(
        (error) => {
          if (!error) return;
          if (buffer) invalid.add(buffer);
          reportDeviceProblem(device, {
            kind: 'error',
            message: `The GPU had no memory left for a buffer of ${grouped(size)} bytes. ${REMEDY}`,
          });
        },
        // The device is lost, which is reported where it is watched.
        () => undefined,
      );
    }
  }

  manager.acquireBuffer = (size, usage, ...rest) => {
    checkBufferSize(size, largestBuffer(kernelLimits(device), usage));
    const idle = manager.freeBuffers.get(`${size}_${usage}`);
    while (idle?.some((buffer) => invalid.has(buffer))) {
      const at = idle.findIndex((buffer) => invalid.has(buffer));
      idle.splice(at, 1);
      manager.numFreeBuffers--;
      manager.numBytesAllocated -= size;
    }
    return ask(size, usage, ...rest);
  };
}
