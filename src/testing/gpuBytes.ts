/** Counts the memory that a device's buffers hold, by watching them come and go. */

/** Starts to watch; `bytes()` is what was created since and not destroyed. */
export function watchGpuBytes(device: GPUDevice): { bytes(): number; buffers(): number; stop(): void } {
  const live = new Map<GPUBuffer, number>();
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    live.set(buffer, descriptor.size);
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      live.delete(buffer);
      destroy();
    };
    return buffer;
  };
  return {
    bytes: () => [...live.values()].reduce((sum, size) => sum + size, 0),
    buffers: () => live.size,
    stop: () => (device.createBuffer = create),
  };
}
