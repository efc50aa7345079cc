/**
 * GPU memory of one generator besides its weights: the buffers of the largest batch so far, which are allocated again only to grow, and
 * those that bring results to the host.
 */
import {
  LIST_HEADER_WORDS,
  MAX_SLOTS,
  PAGE_POSITIONS,
  pageBytes,
  ROW_WORDS,
  SETTINGS_HEADER_WORDS,
  SLOT_WORDS,
  type CachePrecision,
} from '../../kernels/decode/index.ts';
import { MemoryError } from '../../backend/memoryError.ts';
import type { ModelConfig } from '../../model/config.ts';
import { cacheKinds } from './cacheKinds.ts';
import { OUTPUT_BYTES, PREFILL_ROWS } from './sizes.ts';

export interface BufferSize {
  readonly slots: number;
  readonly places: number;
  /** The pages of keys and values in each layer of a kind, and the entries of the table that says whose they are. */
  readonly pages: readonly number[];
  readonly tableEntries: number;
  /** The words of the bits of tokens that the rows have read and written; 0 if nothing needs them. */
  readonly seenWords: number;
}

/** The floats of one row of each activation, including what is kept after the rows, shared out among them. */
export interface ActivationWidths {
  readonly x: number;
  readonly qkv: number;
  /** The width of what attention keeps of the parts of a row's keys; 0 if it has them whole. */
  readonly parts: number;
  readonly mixed: number;
  readonly gated: number;
  /** The width of gate | up; 0 if the two are joined at once. */
  readonly gateUp: number;
  /** The width of what attention or MLP adds; 0 if it is added at once. */
  readonly behind: number;
  /** The words of activations that are rounded; 0 if none are. */
  readonly codes: number;
  readonly logits: number;
}

export interface GpuBuffers {
  readonly size: BufferSize;
  readonly list: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly bounds: GPUBuffer;
  readonly settings: GPUBuffer;
  readonly output: GPUBuffer;
  /** Activations, one row each for the rows of the list. After `PREFILL_ROWS` rows come the outputs of adapters. */
  readonly x: GPUBuffer;
  readonly qkv: GPUBuffer;
  readonly parts: GPUBuffer;
  readonly mixed: GPUBuffer;
  readonly gated: GPUBuffer;
  readonly gateUp: GPUBuffer;
  readonly behind: GPUBuffer;
  readonly codes: GPUBuffer;
  readonly logits: GPUBuffer;
  /** The hidden state after each prompt's last token, a row for each place. */
  readonly hidden: GPUBuffer;
  /** The table of pages for each kind of layers. */
  readonly pages: readonly GPUBuffer[];
  /** One bit for each slot and token: whether the row in the slot has read or written the token. */
  readonly seen: GPUBuffer;
  /** The keys and values of each layer. */
  readonly caches: readonly GPUBuffer[];
  dispose(): void;
}

export interface BufferSlice {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

export const atLeast = (size: BufferSize, needed: BufferSize): boolean =>
  size.slots >= needed.slots &&
  size.places >= needed.places &&
  size.pages.every((count, kind) => count >= (needed.pages[kind] ?? 0)) &&
  size.tableEntries >= needed.tableEntries &&
  size.seenWords >= needed.seenWords;

/** @throws MemoryError if the GPU has too little memory. */
export async function allocateBuffers(
  device: GPUDevice,
  config: ModelConfig,
  widths: ActivationWidths,
  size: BufferSize,
  precision: CachePrecision,
  stopTokens: number,
): Promise<GpuBuffers> {
  const { hiddenSize } = config;
  const made: GPUBuffer[] = [];
  const create = (label: string, bytes: number, usage = 0): GPUBuffer => {
    const buffer = device.createBuffer({
      label,
      size: Math.max(16, Math.ceil(bytes / 16) * 16),
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | usage,
    });
    made.push(buffer);
    return buffer;
  };
  const rows = (label: string, width: number, count = PREFILL_ROWS): GPUBuffer =>
    create(label, count * width * 4);

  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  const buffers = {
    list: create('list', (LIST_HEADER_WORDS + PREFILL_ROWS * ROW_WORDS) * 4),
    slots: create('slots', MAX_SLOTS * SLOT_WORDS * 4),
    bounds: create('bounds', 16, GPUBufferUsage.UNIFORM),
    settings: create('settings', (SETTINGS_HEADER_WORDS + stopTokens) * 4),
    output: create('output', OUTPUT_BYTES, GPUBufferUsage.COPY_SRC),
    x: rows('x', widths.x),
    qkv: rows('qkv', widths.qkv),
    parts: rows('parts', widths.parts, size.slots),
    mixed: rows('mixed', widths.mixed),
    gated: rows('gated', widths.gated),
    gateUp: rows('gate | up', widths.gateUp),
    behind: rows('added', widths.behind),
    codes: rows('codes', widths.codes),
    logits: rows('logits', widths.logits, size.slots),
    hidden: rows('hidden', hiddenSize, size.places),
    pages: size.pages.map(() => create('pages', size.tableEntries * 4)),
    seen: create('seen tokens', size.seenWords * 4),
    caches: cacheKinds(config).ofLayers.map((kind) =>
      create('keys, values', (size.pages[kind] ?? 0) * pageBytes(config, precision)),
    ),
  };
  const dispose = (): void => {
    for (const buffer of made) buffer.destroy();
  };
  // Both scopes are popped at once, so that they catch no errors of others on the device.
  const problems = await Promise.all([device.popErrorScope(), device.popErrorScope()]);
  const problem = problems.find((found) => found !== null);
  if (problem) {
    const bytes = made.reduce((sum, buffer) => sum + buffer.size, 0);
    dispose();
    throw new MemoryError(
      `The GPU gave no memory for ${size.slots} completions of ${Math.max(...size.pages) * PAGE_POSITIONS} tokens at a time (${bytes} bytes): ` +
        `${problem.message}. Take fewer or shorter completions, or a smaller model.`,
    );
  }
  return { ...buffers, size, dispose };
}

/** The results of one round while they are copied to the host. */
export interface Readback {
  /** Records the copy at the end of a round. */
  copyFrom(encoder: GPUCommandEncoder, source: GPUBuffer): void;
  /** Asks for the contents. It must be called after the round has been submitted. */
  read(): Promise<Uint32Array>;
}

/** Buffers that are mapped in turn, so that no round waits for the newest one. */
export class ReadbackRing {
  readonly #device: GPUDevice;
  readonly #free: GPUBuffer[] = [];
  readonly #size: number;

  constructor(device: GPUDevice, size: number) {
    this.#device = device;
    this.#size = size;
  }

  next(): Readback {
    const staging = this.#free.pop() ?? this.#create();
    return {
      copyFrom: (encoder, source) => encoder.copyBufferToBuffer(source, 0, staging, 0, this.#size),
      read: async () => {
        await staging.mapAsync(GPUMapMode.READ);
        const words = new Uint32Array(staging.getMappedRange().slice(0));
        staging.unmap();
        this.#free.push(staging);
        return words;
      },
    };
  }

  #create(): GPUBuffer {
    return this.#device.createBuffer({
      label: 'round readback',
      size: this.#size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }

  dispose(): void {
    for (const buffer of this.#free.splice(0)) buffer.destroy();
  }
}
