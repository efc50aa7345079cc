/** Counts GPU memory of a page's own thread at `GPUDevice.createBuffer`, where it is asked for. */
import type { Page } from 'playwright';

export interface BufferBytes {
  /** The bytes of the buffers that were made and not destroyed, now and at their most. */
  readonly now: number;
  readonly peak: number;
}

/** Runs in the page before its own scripts. */
export function countBuffersInPage(): void {
  if (!('GPUDevice' in globalThis)) return;
  const living = new Set<GPUBuffer>();
  const counts = { now: 0, peak: 0 };
  type Create = (this: GPUDevice, descriptor: GPUBufferDescriptor) => GPUBuffer;
  type Destroy = (this: GPUBuffer) => undefined;
  const create = Reflect.get(GPUDevice.prototype, 'createBuffer') as Create;
  const destroy = Reflect.get(GPUBuffer.prototype, 'destroy') as Destroy;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = create.call(this, descriptor);
    living.add(buffer);
    counts.now += buffer.size;
    counts.peak = Math.max(counts.peak, counts.now);
    return buffer;
  };
  GPUBuffer.prototype.destroy = function () {
    if (living.delete(this)) counts.now -= this.size;
    return destroy.call(this);
  };
  Reflect.set(globalThis, 'bufferBytes', (): BufferBytes => counts);
}

/** Returns the bytes; null on a page without WebGPU. */
export function bufferBytesOf(page: Page): Promise<BufferBytes | null> {
  return page.evaluate(() => {
    const count = Reflect.get(globalThis, 'bufferBytes') as (() => BufferBytes) | undefined;
    return count?.() ?? null;
  });
}
