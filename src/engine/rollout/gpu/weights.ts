/**
 * A policy's weights in one GPU buffer that is never replaced, so that bind groups outlive every new version. New weights wait on the
 * host until they are needed, parameter by parameter: the queue keeps writes and submissions in order, so the first prefill can run on
 * the first layers while the next are still being copied. Under LoRA the base waits there for good, and a new adapter changes only its
 * columns.
 */
import { kernelLimits } from '../../backend/adapterFacts.ts';
import type { MergedParameter } from '../../model/mergePlan.ts';
import { decodedConfig, type GeneratorModel } from '../decoding/decoder.ts';
import {
  bytesOf,
  LoraWeights,
  refuseAdapter,
  weightLayout,
  type ParameterPlace,
  type WeightBytes,
  type WeightPrecision,
} from '../decoding/weights.ts';
import { parameterSpecs, type ParameterSpec } from '../../model/parameters.ts';
import type { BufferSlice } from './buffers.ts';
import type { BoundMatrix, DecoderWeights } from './decoderWeights.ts';
import { GpuMerge } from './merge.ts';

/** The parts that merge adapters, and the base's parameters by name. */
interface Merging {
  readonly host: LoraWeights;
  readonly gpu: GpuMerge;
  readonly parameters: ReadonlyMap<string, MergedParameter>;
}

export class GpuWeights implements DecoderWeights {
  readonly precision: WeightPrecision;
  readonly #bytes: number;
  readonly #device: GPUDevice;
  readonly #buffer: GPUBuffer;
  readonly #places: ReadonlyMap<string, ParameterPlace>;
  readonly #specs: ReadonlyMap<string, ParameterSpec>;
  readonly #merging: Merging | null;
  /** The weights without LoRA. */
  #source: Uint8Array | null = null;
  /** The parameters that wait to be written: the whole, or only the columns of an adapter. */
  readonly #waiting = new Map<ParameterPlace, 'all' | 'adapted'>();

  constructor(device: GPUDevice, model: Pick<GeneratorModel, 'config' | 'lora'>, precision: WeightPrecision) {
    const { places, bytes } = weightLayout(decodedConfig(model), precision);
    const { maxBufferSize, maxStorageBufferBindingSize } = kernelLimits(device);
    const largest = Math.max(...places.map(({ size }) => size));
    if (bytes > maxBufferSize || largest > maxStorageBufferBindingSize)
      throw new Error(
        `The model's weights take ${bytes} bytes, its largest matrix ${largest}; this GPU allows ${maxBufferSize} and ` +
          `${maxStorageBufferBindingSize}. Take a smaller model, or half-precision generator weights.`,
      );
    this.precision = precision;
    this.#bytes = bytes;
    this.#device = device;
    this.#places = new Map(places.map((place) => [place.name, place]));
    this.#specs = new Map(parameterSpecs(decodedConfig(model)).map((spec) => [spec.name, spec]));
    this.#buffer = device.createBuffer({
      label: 'generator weights',
      size: bytes,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    this.#merging = model.lora ? this.#mergingOf(new LoraWeights(model.config, model.lora)) : null;
  }

  #mergingOf(host: LoraWeights): Merging {
    const { plan } = host;
    const passing = plan.parameters.filter(({ name, products }) => products.length > 0 || this.isHalf(name));
    return {
      host,
      gpu: new GpuMerge(this.#device, plan, passing),
      parameters: new Map(plan.parameters.map((parameter) => [parameter.name, parameter])),
    };
  }

  #place(name: string): ParameterPlace {
    const place = this.#places.get(name);
    if (!place) throw new Error(`The model has no parameter ${name}.`);
    return place;
  }

  isHalf(name: string): boolean {
    return this.#place(name).half;
  }

  matrix(name: string): BoundMatrix {
    const spec = this.#specs.get(name);
    const [rows = 0] = spec?.shape ?? [];
    return {
      layout: spec?.transposed ? 'nn' : 'nt',
      blocks: [
        {
          firstRow: 0,
          rows,
          format: this.isHalf(name) ? 'f16' : 'f32',
          words: this.slice(name),
        },
      ],
    };
  }

  vector(name: string): BufferSlice | null {
    return this.#places.has(name) ? this.slice(name) : null;
  }

  /** Null, because an adapter is merged here. */
  adapter(): null {
    return null;
  }

  slice(name: string): BufferSlice {
    const { offset, size } = this.#place(name);
    return { buffer: this.#buffer, offset, size };
  }

  /** Takes weights, which must not change before `settled`; those of a base under LoRA must never change. */
  set(weights: WeightBytes): void {
    if (this.#merging) this.#merging.host.setBase(weights);
    else this.#setSource(weights);
    for (const place of this.#places.values()) this.#waiting.set(place, 'all');
  }

  #setSource({ precision, bytes }: WeightBytes): void {
    if (precision !== this.precision || bytes.length !== this.#bytes)
      throw new Error(
        `The weights are ${bytes.length} bytes of ${precision}; this generator takes ${this.#bytes} of ${this.precision}.`,
      );
    this.#source = bytes;
  }

  /** Takes a copy of an adapter's factors. @throws as `Decoder.setAdapter` does. */
  setAdapter(factors: Float32Array): void {
    if (!this.#merging) refuseAdapter();
    const { host, gpu, parameters } = this.#merging;
    host.setAdapter(factors);
    if (host.factors) gpu.setFactors(host.factors);
    for (const { name, products } of parameters.values()) {
      const place = this.#place(name);
      if (products.length > 0 && !this.#waiting.has(place)) this.#waiting.set(place, 'adapted');
    }
  }

  get settled(): boolean {
    return this.#waiting.size === 0;
  }

  upload(wanted: (name: string) => boolean = () => true): boolean {
    let any = false;
    for (const [place, what] of this.#waiting) {
      if (!wanted(place.name)) continue;
      if (this.#merging) this.#merge(this.#merging, place, what);
      else if (this.#source) this.#copy(place, this.#source, place.offset);
      this.#waiting.delete(place);
      any = true;
    }
    this.#merging?.gpu.submit();
    if (this.settled) this.#source = null;
    return any;
  }

  #copy({ offset, size }: ParameterPlace, source: Uint8Array, from: number): void {
    this.#device.queue.writeBuffer(this.#buffer, offset, source, from, size);
  }

  #merge({ host, gpu, parameters }: Merging, place: ParameterPlace, what: 'all' | 'adapted'): void {
    const { base, factors } = host;
    const { name, half } = place;
    const parameter = parameters.get(name);
    if (!parameter) throw new Error(`The base model has no parameter ${name}.`);
    const target = { ...this.slice(name), half };
    if (what === 'all' && half) gpu.writeBase(parameter, base, target);
    else if (what === 'all') this.#copy(place, bytesOf(base), parameter.baseOffset * 4);
    if (factors && parameter.products.length > 0) gpu.writeMerged(parameter, base, target);
  }

  dispose(): void {
    this.#source = null;
    this.#buffer.destroy();
    this.#merging?.gpu.dispose();
  }
}
