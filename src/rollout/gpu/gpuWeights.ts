/**
 * A policy's weights in one GPU buffer that stays where it is, so that bind groups outlive every new version. New weights
 * wait on the host until they are asked for, parameter by parameter: the queue keeps writes and submissions in order, so the
 * first prefill can run on the first layers while the next are still being copied.
 */
import type { ModelConfig } from '../../model/config.ts';
import {
  weightLayout,
  type ParameterPlace,
  type WeightBytes,
  type WeightPrecision,
} from '../weightFormat.ts';

export interface BufferSlice {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

export class GpuWeights {
  readonly precision: WeightPrecision;
  readonly bytes: number;
  readonly #device: GPUDevice;
  readonly #buffer: GPUBuffer;
  readonly #places: ReadonlyMap<string, ParameterPlace>;
  #source: Uint8Array | null = null;
  readonly #waiting = new Set<ParameterPlace>();

  constructor(device: GPUDevice, config: ModelConfig, precision: WeightPrecision) {
    const { places, bytes } = weightLayout(config, precision);
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    const largest = Math.max(...places.map(({ size }) => size));
    if (bytes > maxBufferSize || largest > maxStorageBufferBindingSize) {
      throw new Error(
        `The model's weights take ${bytes} bytes, its largest matrix ${largest}; this GPU allows ${maxBufferSize} and ` +
          `${maxStorageBufferBindingSize}. Take a smaller model, or half-precision generator weights.`,
      );
    }
    this.precision = precision;
    this.bytes = bytes;
    this.#device = device;
    this.#places = new Map(places.map((place) => [place.name, place]));
    this.#buffer = device.createBuffer({
      label: 'generator weights',
      size: bytes,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
  }

  #place(name: string): ParameterPlace {
    const place = this.#places.get(name);
    if (!place) throw new Error(`The model has no parameter ${name}.`);
    return place;
  }

  has(name: string): boolean {
    return this.#places.has(name);
  }

  isHalf(name: string): boolean {
    return this.#place(name).half;
  }

  slice(name: string): BufferSlice {
    const { offset, size } = this.#place(name);
    return { buffer: this.#buffer, offset, size };
  }

  /** `weights` must not change before `settled`. */
  set(weights: WeightBytes): void {
    if (weights.precision !== this.precision || weights.bytes.length !== this.bytes) {
      throw new Error(
        `The weights are ${weights.bytes.length} bytes of ${weights.precision}; this generator takes ${this.bytes} of ${this.precision}.`,
      );
    }
    this.#source = weights.bytes;
    for (const place of this.#places.values()) this.#waiting.add(place);
  }

  get settled(): boolean {
    return this.#waiting.size === 0;
  }

  /** Copies the parameters that `wanted` names and that wait; returns whether any did. */
  upload(wanted: (name: string) => boolean = () => true): boolean {
    const source = this.#source;
    if (!source) return false;
    let any = false;
    for (const place of this.#waiting) {
      if (!wanted(place.name)) continue;
      const { offset, size } = place;
      this.#device.queue.writeBuffer(this.#buffer, offset, source, offset, size);
      this.#waiting.delete(place);
      any = true;
    }
    if (this.settled) this.#source = null;
    return any;
  }

  dispose(): void {
    this.#source = null;
    this.#buffer.destroy();
  }
}
