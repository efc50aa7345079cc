/**
 * The bindings of dispatches. Bind groups are kept for buffers that come again in each step. The uniform words of all dispatches of a
 * batch lie in one buffer, which is written once before the batch is submitted. Bind groups point at that buffer and take the place of
 * their words as a dynamic offset, so that they can be used again.
 */

/** The number of buffers that a kernel reads and writes, and whether it has uniforms. */
export interface Signature {
  readonly reads: number;
  readonly writes: number;
  readonly uniforms: boolean;
}

/** A storage buffer, or the part of it that starts at `offset`, in bytes. */
export interface BufferRange {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

export interface BindGroups {
  pipelineLayout(signature: Signature): GPUPipelineLayout;
  /** Returns a bind group of this signature, from the cache if it is there. */
  cached(signature: Signature, ranges: readonly BufferRange[], uniforms: GPUBuffer): GPUBindGroup;
}

/** The most groups that are kept. A group is small beside its buffers, and a step of a model of 30 blocks has some thousand. */
const MAX_CACHED = 8192;

export function bindGroups(device: GPUDevice): BindGroups {
  const layouts = new Map<string, { group: GPUBindGroupLayout; pipeline: GPUPipelineLayout }>();
  const groups = new Map<string, GPUBindGroup>();
  const ids = new WeakMap<GPUBuffer, number>();
  let nextId = 0;

  function idOf(buffer: GPUBuffer): number {
    const known = ids.get(buffer);
    if (known !== undefined) return known;
    ids.set(buffer, nextId);
    return nextId++;
  }

  const keyOf = ({ reads, writes, uniforms }: Signature): string => `${reads} ${writes} ${uniforms}`;

  function layoutOf(signature: Signature) {
    const key = keyOf(signature);
    const known = layouts.get(key);
    if (known) return known;
    const types: GPUBufferBindingLayout[] = [
      ...Array.from({ length: signature.reads }, () => ({ type: 'read-only-storage' }) as const),
      ...Array.from({ length: signature.writes }, () => ({ type: 'storage' }) as const),
      ...(signature.uniforms ? [{ type: 'uniform', hasDynamicOffset: true } as const] : []),
    ];
    const group = device.createBindGroupLayout({
      entries: types.map((buffer, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer })),
    });
    const made = { group, pipeline: device.createPipelineLayout({ bindGroupLayouts: [group] }) };
    layouts.set(key, made);
    return made;
  }

  function create(signature: Signature, ranges: readonly BufferRange[], uniforms: GPUBuffer): GPUBindGroup {
    const resources: GPUBufferBinding[] = signature.uniforms
      ? [...ranges, { buffer: uniforms, size: UNIFORM_BYTES }]
      : [...ranges];
    return device.createBindGroup({
      layout: layoutOf(signature).group,
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
  }

  return {
    pipelineLayout: (signature) => layoutOf(signature).pipeline,
    cached(signature, ranges, uniforms) {
      let key = keyOf(signature);
      for (const { buffer, offset, size } of ranges) key += ` ${idOf(buffer)} ${offset} ${size}`;
      const known = groups.get(key);
      if (known) return known;
      if (groups.size >= MAX_CACHED) {
        // The older half goes: a Map keeps the order of insertion.
        let surplus = MAX_CACHED / 2;
        for (const old of groups.keys()) {
          if (surplus-- === 0) break;
          groups.delete(old);
        }
      }
      const made = create(signature, ranges, uniforms);
      groups.set(key, made);
      return made;
    },
  };
}

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
  /** True if no place is left before the next `flush`. */
  readonly full: boolean;
  /** Keeps words for the next submission, and returns their offset in bytes. */
  add(words: readonly UniformWord[]): number;
  /** Writes the words that were added. It must be called right before each submission. */
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
