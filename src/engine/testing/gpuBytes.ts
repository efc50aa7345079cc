/** Counts the bytes of a device's buffers, by watching their creation and destruction. */

/** Starts to watch. `bytes()` is the memory that was created since and not destroyed, `peak()` the most of it so far. */
export function watchGpuBytes(device: GPUDevice): {
  bytes(): number;
  peak(): number;
  buffers(): number;
  stop(): void;
} {
  const live = new Map<GPUBuffer, number>();
  const sum = (): number => [...live.values()].reduce((bytes, size) => bytes + size, 0);
  let peak = 0;
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    live.set(buffer, descriptor.size);
    peak = Math.max(peak, sum());
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      live.delete(buffer);
      destroy();
    };
    return buffer;
  };
  return {
    bytes: sum,
    peak: () => peak,
    buffers: () => live.size,
    stop: () => (device.createBuffer = create),
  };
}
