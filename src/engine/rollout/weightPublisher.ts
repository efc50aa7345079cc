/**
 * Memory in which new weights are published. On a cross-origin isolated page all generators read the same shared bytes, in two buffers by
 * turns: one holds the newest weights, for a generator that has to start anew, and the other is written once no generator reads it.
 * Elsewhere each generator is sent a copy, so one buffer is enough. Under LoRA the adapter's factors take turns; the base has a buffer of
 * its own, which generators may read for good.
 */
import { realTimers, type Timers } from '@rl-playground/base/deadline';
import {
  bytesOf,
  checkAdapter,
  encodeWeights,
  weightLayout,
  type WeightBytes,
  type WeightPrecision,
} from './decoding/weights.ts';
import { checkPool } from '../model/weights.ts';
import type { GeneratorModel } from './decoding/decoder.ts';

/** The milliseconds that a hand-over waits for a buffer, so that a generator that hangs does not hold it up. */
const READ_PATIENCE = 1000;

export interface WeightReader {
  /** Sends weights, or the message that they have changed. */
  setWeights(version: number, weights: WeightBytes): void;
  /** Sends an adapter's factors, as f32, in the same way. */
  setAdapter(version: number, factors: Uint8Array): void;
  /** Resolves once it will not read `bytes` any more, which are no longer the newest. */
  doneWith(bytes: Uint8Array): Promise<void>;
}

export class WeightPublisher {
  readonly #model: Pick<GeneratorModel, 'config' | 'lora'>;
  readonly #precision: WeightPrecision;
  readonly #readers: readonly WeightReader[];
  readonly #shared: boolean;
  readonly #timers: Timers;
  /** The buffers that take turns, the newest last. */
  readonly #buffers: Uint8Array[] = [];
  #last: Promise<void> = Promise.resolve();
  #handedOverBytes = 0;

  /** `precision` is that of whole weights; under LoRA, base and factors are f32. */
  constructor(
    model: Pick<GeneratorModel, 'config' | 'lora'>,
    precision: WeightPrecision,
    readers: readonly WeightReader[],
    shared: boolean,
    timers: Timers = realTimers,
  ) {
    this.#timers = timers;
    this.#model = model;
    this.#precision = model.lora ? 'f32' : precision;
    this.#readers = readers;
    this.#shared = shared;
  }

  get handedOverBytes(): number {
    return this.#handedOverBytes;
  }

  /** Hands `pool` to all readers, and resolves when it may be changed again. It does not wait for a reader. */
  publish(version: number, pool: Float32Array): Promise<void> {
    return this.#inTurn(async () => {
      const { config, lora } = this.#model;
      const precision = this.#precision;
      checkPool(config, pool);
      const { bytes: length } = weightLayout(config, precision);
      const bytes = lora ? this.#allocate(length) : await this.#free(length);
      encodeWeights(config, pool, precision, bytes);
      for (const reader of this.#readers) reader.setWeights(version, { precision, bytes });
      return bytes;
    });
  }

  /** Hands the factors of an adapter to all readers in the same way. */
  publishAdapter(version: number, factors: Float32Array): Promise<void> {
    return this.#inTurn(async () => {
      checkAdapter(this.#model, factors);
      const bytes = await this.#free(factors.byteLength);
      bytes.set(bytesOf(factors));
      for (const reader of this.#readers) reader.setAdapter(version, bytes);
      return bytes;
    });
  }

  #inTurn(publish: () => Promise<Uint8Array>): Promise<void> {
    const published = this.#last.then(publish).then((bytes) => {
      this.#handedOverBytes = bytes.length;
    });
    this.#last = published.catch(() => undefined);
    return published;
  }

  #allocate(length: number): Uint8Array {
    return new Uint8Array(this.#shared ? new SharedArrayBuffer(length) : new ArrayBuffer(length));
  }

  /** Returns a buffer that no reader uses, which holds the newest bytes from now on. A buffer that is read for long is left to its reader. */
  async #free(length: number): Promise<Uint8Array> {
    const oldest = this.#buffers.length < (this.#shared ? 2 : 1) ? undefined : this.#buffers.shift();
    const bytes = oldest && (await this.#leftBy(oldest)) ? oldest : this.#allocate(length);
    this.#buffers.push(bytes);
    return bytes;
  }

  /** True if all readers are done with `bytes` before the wait is over. */
  async #leftBy(bytes: Uint8Array): Promise<boolean> {
    const done = Promise.all(this.#readers.map((reader) => reader.doneWith(bytes))).then(() => true);
    let takeBack = (): void => undefined;
    const over = new Promise<boolean>((resolve) => {
      takeBack = this.#timers.after(READ_PATIENCE, () => resolve(false));
    });
    const left = await Promise.race([done, over]);
    takeBack();
    return left;
  }
}
