/**
 * Uniform words of all dispatches of a batch, in one buffer that is written once before the batch is submitted. Bind groups
 * point at the buffer and take their place in it as a dynamic offset, so that they can be used again.
 */
export interface UniformWord {
  readonly type: 'u32' | 'f32';
  readonly value: number;
}
export const u32 = (value: number): UniformWord => ({ type: 'u32', value });
export const f32 = (value: number): UniformWord => ({ type: 'f32', value });

/** The offset at which every device may bind a part of a buffer, and the space for one dispatch. */
export const UNIFORM_BYTES = 256;

function writeWords(view: DataView, offset: number, words: readonly UniformWord[]): void {
  if (words.length * 4 > UNIFORM_BYTES) {
    throw new Error(`${words.length} uniform words for one dispatch; at most ${UNIFORM_BYTES / 4}.`);
  }
  words.forEach(({ type, value }, i) => {
    if (type === 'u32') view.setUint32(offset + i * 4, value, true);
    else view.setFloat32(offset + i * 4, value, true);
  });
}

export interface UniformBatch {
  readonly buffer: GPUBuffer;
  /** No place is left before the next `flush`. */
  readonly full: boolean;
  /** Keeps words for the next submission; returns their offset in bytes. */
  add(words: readonly UniformWord[]): number;
  /** Writes what was added. To be called right before each submission. */
  flush(): void;
}

export function uniformBatch(device: GPUDevice, places: number): UniformBatch {
  const bytes = new ArrayBuffer(places * UNIFORM_BYTES);
  const view = new DataView(bytes);
  const buffer = device.createBuffer({
    label: 'uniforms',
    size: bytes.byteLength,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.UNIFORM,
  });
  let used = 0;
  return {
    buffer,
    get full() {
      return used === bytes.byteLength;
    },
    add(words) {
      const offset = used;
      writeWords(view, offset, words);
      used += UNIFORM_BYTES;
      return offset;
    },
    flush() {
      // The queue keeps writes and submissions in order, so the last batch has been read by then.
      if (used > 0) device.queue.writeBuffer(buffer, 0, bytes, 0, used);
      used = 0;
    },
  };
}
