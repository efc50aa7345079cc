/**
 * Memory in which new weights are published. Where the page is cross-origin isolated, all generators read the same shared
 * bytes, in two buffers by turns: one holds the newest weights, for a generator that has to start anew, and the other is
 * written once nobody reads it. Elsewhere each generator is sent a copy, so one buffer does.
 */
import type { ModelConfig } from '../model/config.ts';
import {
  checkPool,
  encodeWeights,
  weightLayout,
  type WeightBytes,
  type WeightPrecision,
} from './weightFormat.ts';

export interface WeightReader {
  /** Sends weights, or news of them. */
  setWeights(version: number, weights: WeightBytes): void;
  /** Resolves once it will not read `bytes` any more, which are no longer those of the newest weights. */
  doneWith(bytes: Uint8Array): Promise<void>;
}

export class WeightPublisher {
  readonly #config: ModelConfig;
  readonly #precision: WeightPrecision;
  readonly #readers: readonly WeightReader[];
  readonly #shared: boolean;
  /** The buffers, the one with the newest weights last. */
  readonly #buffers: Uint8Array[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(
    config: ModelConfig,
    precision: WeightPrecision,
    readers: readonly WeightReader[],
    shared: boolean,
  ) {
    this.#config = config;
    this.#precision = precision;
    this.#readers = readers;
    this.#shared = shared;
  }

  /** Of one hand-over. */
  get bytes(): number {
    return weightLayout(this.#config, this.#precision).bytes;
  }

  /** Hands `pool` to all readers; resolves when it may be changed again. Does not wait for anyone to read it. */
  publish(version: number, pool: Float32Array): Promise<void> {
    const published = this.#last.then(() => this.#publish(version, pool));
    this.#last = published.catch(() => undefined);
    return published;
  }

  async #publish(version: number, pool: Float32Array): Promise<void> {
    checkPool(this.#config, pool);
    const bytes = await this.#free();
    encodeWeights(this.#config, pool, this.#precision, bytes);
    this.#buffers.push(bytes);
    for (const reader of this.#readers) reader.setWeights(version, { precision: this.#precision, bytes });
  }

  async #free(): Promise<Uint8Array> {
    const oldest = this.#buffers.length < (this.#shared ? 2 : 1) ? undefined : this.#buffers.shift();
    if (!oldest) {
      const { bytes } = weightLayout(this.#config, this.#precision);
      return new Uint8Array(this.#shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
    }
    await Promise.all(this.#readers.map((reader) => reader.doneWith(oldest)));
    return oldest;
  }
}
