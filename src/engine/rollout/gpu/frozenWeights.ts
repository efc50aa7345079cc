/**
 * A frozen base that belongs to someone else, and a generator's copy of the newest adapter. The factors keep their buffer, so bind groups
 * outlive every version, and a hand-over writes their bytes alone. They are not merged, so that the sampler computes with the same bits
 * as the trainer. If the model asks for merging, matrices in f16 replace the base's.
 */
import type { GpuDispatcher } from '../../backend/dispatch.ts';
import type { Tensor } from '../../backend/tf.ts';
import { adapterLength, adapterSpecs, loraScale, type AdapterSpec } from '../../model/lora.ts';
import { MergedBase, type FrozenSource } from '../../model/mergedBase.ts';
import { sizeOf } from '../../model/parameters.ts';
import type { GeneratorModel } from '../decoding/decoder.ts';
import { checkAdapter, refuseAdapter } from '../decoding/weights.ts';
import type { BufferSlice } from './buffers.ts';
import type { BoundAdapter, BoundMatrix, DecoderWeights } from './decoderWeights.ts';

export class FrozenWeights implements DecoderWeights {
  readonly #gpu: GpuDispatcher;
  readonly #model: GeneratorModel;
  readonly #base: FrozenSource;
  readonly #specs = new Map<string, AdapterSpec[]>();
  readonly #factors: GPUBuffer | null = null;
  readonly #merged: MergedBase | null = null;

  /** The base must be whole, on `gpu`, and exist until `dispose`. Without `model.lora` it is sampled from unchanged. */
  constructor(gpu: GpuDispatcher, model: GeneratorModel, base: FrozenSource) {
    this.#gpu = gpu;
    this.#model = model;
    const { config, lora, merged } = model;
    if (lora && merged === true) {
      this.#merged = new MergedBase(config, base, lora);
      gpu.flush();
    }
    this.#base = this.#merged ?? base;
    if (!lora || this.#merged) return;
    for (const spec of adapterSpecs(config, lora)) {
      const { parameter } = spec;
      this.#specs.set(parameter, [...(this.#specs.get(parameter) ?? []), spec]);
    }
    this.#factors = gpu.device.createBuffer({
      label: 'adapter',
      size: adapterLength(config, lora) * 4,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
  }

  #sliceOf(tensor: Tensor): BufferSlice {
    const buffer = this.#gpu.bufferOf(tensor);
    return { buffer, offset: 0, size: buffer.size };
  }

  matrix(name: string): BoundMatrix {
    const { blocks } = this.#base.matrix(name);
    return {
      layout: 'nt',
      blocks: blocks.map(({ firstRow, rows, format, words, scales }) => ({
        firstRow,
        rows,
        format,
        words: this.#sliceOf(words),
        scales: scales && this.#sliceOf(scales),
      })),
    };
  }

  vector(name: string): BufferSlice | null {
    if (!this.#base.has(name)) return null;
    const { tensor, offset, shape } = this.#base.get(name);
    return { buffer: this.#gpu.bufferOf(tensor), offset: offset * 4, size: sizeOf(shape) * 4 };
  }

  adapter(name: string): BoundAdapter | null {
    const { lora } = this.#model;
    const specs = this.#specs.get(name) ?? [];
    const [first, last] = [specs.at(0), specs.at(-1)];
    if (!lora || !this.#factors || !first || !last) return null;
    const start = first.a.offset;
    return {
      rank: lora.rank,
      scale: loraScale(lora),
      parts: specs.map(({ a, b, column }) => ({
        column,
        columns: b.shape[1],
        a: a.offset - start,
        b: b.offset - start,
      })),
      factors: {
        buffer: this.#factors,
        offset: start * 4,
        size: (last.b.offset + sizeOf(last.b.shape) - start) * 4,
      },
    };
  }

  set(): never {
    throw new Error('its base is frozen and was there when it started; it takes adapters alone.');
  }

  setAdapter(factors: Float32Array): void {
    if (!this.#model.lora) refuseAdapter();
    checkAdapter(this.#model, factors);
    if (this.#merged) {
      this.#merged.merge(factors);
      this.#gpu.flush();
    }
    if (this.#factors) this.#gpu.device.queue.writeBuffer(this.#factors, 0, factors);
  }

  upload(): boolean {
    return false;
  }

  dispose(): void {
    this.#factors?.destroy();
    this.#merged?.dispose();
  }
}
