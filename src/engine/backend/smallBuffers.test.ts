import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { widenSmallBuffers } from './smallBuffers.ts';

/** Records the requests to a device. Its buffers tell their size as WebGPU's do, by a getter of their class. */
class RecordingDevice {
  readonly sizes: number[] = [];
  bound: unknown[] = [];
  createBuffer({ size }: { size: number }): object {
    this.sizes.push(size);
    return new (class {
      get size(): number {
        return size;
      }
    })();
  }
  createBindGroup({ entries }: { entries: Iterable<{ resource: unknown }> }): object {
    this.bound = Array.from(entries, ({ resource }) => resource);
    return {};
  }
}

/** The values are those of WebGPU's specification. */
const USAGE = { MAP_READ: 1, COPY_DST: 8, UNIFORM: 64, STORAGE: 128 };
vi.stubGlobal('GPUBufferUsage', USAGE);
afterAll(() => vi.unstubAllGlobals());

let recorded: RecordingDevice;
let device: GPUDevice;
beforeEach(() => {
  recorded = new RecordingDevice();
  device = recorded as unknown as GPUDevice;
  widenSmallBuffers(device);
});

const bind = (...resources: readonly GPUBindingResource[]): unknown[] => {
  const entries = resources.map((resource, binding) => ({ binding, resource }));
  device.createBindGroup({ layout: {} as GPUBindGroupLayout, entries });
  return recorded.bound;
};

test('a buffer of 4 bytes is made of 16, says 4, and is bound whole', () => {
  const small = device.createBuffer({ size: 4, usage: USAGE.STORAGE });
  const large = device.createBuffer({ size: 64, usage: USAGE.STORAGE });
  expect(recorded.sizes).toEqual([16, 64]);
  expect([small.size, large.size]).toEqual([4, 64]);
  expect(bind({ buffer: small, offset: 0, size: 4 }, { buffer: large, offset: 0, size: 64 })).toEqual([
    { buffer: small, offset: 0, size: 16 },
    { buffer: large, offset: 0, size: 64 },
  ]);
});

test('what is mapped to be read has the size that was asked for', () => {
  device.createBuffer({ size: 4, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  device.createBuffer({ size: 4, usage: USAGE.UNIFORM | USAGE.COPY_DST });
  expect(recorded.sizes).toEqual([4, 16]);
});

test('a small part of a buffer is bound with what follows it, but not beyond the end', () => {
  const buffer = device.createBuffer({ size: 264, usage: USAGE.STORAGE });
  expect(bind({ buffer, offset: 0, size: 4 }, { buffer, offset: 256, size: 4 }, { buffer })).toEqual([
    { buffer, offset: 0, size: 16 },
    { buffer, offset: 256, size: 4 },
    { buffer },
  ]);
});
