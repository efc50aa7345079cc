/**
 * Copies bytes of a GPU buffer to JavaScript, in pieces. What is mapped lies in the memory of the page's process beside its copy: mapping
 * an adapter and its two moments at once would take as much again as the three.
 */

/** The most bytes that are mapped at a time. */
export const MAPPED_BYTES = 16 * 2 ** 20;

const LABEL = 'read back';

/** Fills `target` with bytes of `source` as they are now, whatever is submitted before the copy arrives. */
export async function readBack(
  device: GPUDevice,
  source: GPUBuffer,
  firstByte: number,
  target: Uint8Array,
): Promise<void> {
  const bytes = target.byteLength;
  const copy = (from: GPUBuffer, first: number, to: GPUBuffer, count: number): void => {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(from, first, to, 0, count);
    device.queue.submit([encoder.finish()]);
  };
  const size = Math.min(bytes, MAPPED_BYTES);
  const mapped = device.createBuffer({
    label: LABEL,
    size,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  // The source may change between one piece and the next, so the pieces are read from a copy.
  const whole =
    bytes <= MAPPED_BYTES
      ? null
      : device.createBuffer({
          label: LABEL,
          size: bytes,
          usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
        });
  try {
    if (whole) copy(source, firstByte, whole, bytes);
    for (let begin = 0; begin < bytes; begin += MAPPED_BYTES) {
      const count = Math.min(MAPPED_BYTES, bytes - begin);
      if (whole) copy(whole, begin, mapped, count);
      else copy(source, firstByte, mapped, count);
      await mapped.mapAsync(GPUMapMode.READ, 0, count);
      target.set(new Uint8Array(mapped.getMappedRange(0, count)), begin);
      mapped.unmap();
    }
  } finally {
    whole?.destroy();
    mapped.destroy();
  }
}
