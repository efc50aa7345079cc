/** One generator: its own copy of the model, replaced when a newer policy version arrives. */
import { messageOf } from '@rl-playground/base/errors';
import { millisecondsNow, Stopwatch } from './clock.ts';
import type { DecodeOptions, Decoder, GeneratorModel } from './decoding/decoder.ts';
import type { GenerateOptions, GroupRequest, GroupResult, SamplingSettings } from './decoding/types.ts';
import type { WeightBytes, WeightPrecision } from './decoding/weights.ts';
import type { FrozenBase } from '../model/frozenBase.ts';
import * as tf from '../backend/tf.ts';
import { gpuDispatcher } from '../backend/dispatch.ts';
import { backendKind } from '../backend/kernelRegistry.ts';
import { GpuDecoder } from './gpu/decoder.ts';
import { checkedProducts } from './gpu/products.ts';
import { decodesOnGpu, planFor } from './gpu/program.ts';
import { HostDecoder } from './hostDecoder.ts';

type WeightKind = 'weights' | 'adapter';

interface WaitingWeights {
  readonly kind: WeightKind;
  version: number;
  /** Gives the weights to the decoder. */
  work: () => void;
  /** Reports that their bytes will not be read any more. */
  read: () => void;
}

/**
 * A generator that takes weights and requests in the order in which they arrive. A request is answered with the newest weights that
 * arrived before it, however long an earlier request still runs.
 */
export class Generator {
  readonly #decoder: Decoder;
  readonly #breathe: () => Promise<void>;
  readonly #work = new Stopwatch();
  #version: number | null = null;
  /** The newest versions that have arrived, taken or not. */
  readonly #came: Record<WeightKind, number> = { weights: -Infinity, adapter: -Infinity };
  /** Weights whose turn has not come. A newer arrival replaces them if no request came between. */
  #waiting: WaitingWeights | null = null;
  /** Callbacks of weights that the decoder has and may still have to read. */
  readonly #unread: (() => void)[] = [];
  #requests = 0;
  /** The error of the newest weights, if they could not be taken. */
  #failure: Error | null = null;
  #lastTurn: Promise<unknown> = Promise.resolve();

  /** Opens a generator on the running backend. `breathe` gives the event loop a turn. */
  constructor(model: GeneratorModel, precision: WeightPrecision, breathe: () => Promise<void>) {
    this.#decoder = createDecoder(model, precision);
    this.#breathe = breathe;
  }

  /** The seconds of work on requests so far, without the turns of the event loop. */
  get busySeconds(): number {
    return this.#work.seconds;
  }

  /** True if requests are being answered or wait for their turn. */
  get answering(): boolean {
    return this.#requests > 0;
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Takes new weights. A version that is not newer is ignored, as in the Monarch system. Resolves once the bytes will not be read any
   * more, except those of a base under LoRA, which must never change. Weights that can't be taken make the next requests fail.
   */
  setWeights(version: number, weights: WeightBytes): Promise<void> {
    return this.#take('weights', version, () => this.#decoder.setWeights(weights));
  }

  /** Takes a frozen base on the running backend in the same way. It remains the caller's. */
  setBase(version: number, base: FrozenBase): Promise<void> {
    return this.#take('weights', version, () => this.#decoder.setBase(base));
  }

  /**
   * Takes the factors of an adapter, as f32, in the same way. They are merged into the base or act beside a frozen one; a new base has
   * none at first.
   */
  setAdapter(version: number, { buffer, byteOffset, length }: Uint8Array): Promise<void> {
    return this.#take('adapter', version, () => {
      this.#decoder.setAdapter(new Float32Array(buffer, byteOffset, length / 4));
    });
  }

  #take(kind: WeightKind, version: number, work: () => void): Promise<void> {
    if (version <= this.#came[kind]) return Promise.resolve();
    this.#came[kind] = version;
    if (kind === 'weights') this.#came.adapter = -Infinity;
    return new Promise((read) => {
      const before = this.#waiting;
      if (before?.kind === kind) {
        // No request came between the two, so the earlier one is not needed.
        before.read();
        Object.assign(before, { version, work, read });
        return;
      }
      const weights = { kind, version, work, read };
      this.#waiting = weights;
      const taken = this.#inTurn(() => {
        if (this.#waiting === weights) this.#waiting = null;
        this.#version = weights.version;
        this.#unread.push(weights.read);
        this.#attempt(`the ${kind}`, weights.work);
      });
      // A request that has arrived reads them itself, each layer beside the work on the previous one.
      void taken.then(this.#breathe).then(() => this.#inTurn(() => this.#settle()));
    });
  }

  #settle(): void {
    this.#attempt('the weights', () => this.#decoder.settle(), this.#failure);
    for (const read of this.#unread.splice(0)) read();
  }

  #attempt(what: string, work: () => void, before: Error | null = null): void {
    this.#failure = before;
    try {
      work();
    } catch (error) {
      this.#failure = new Error(
        `The generator could not take ${what} of version ${this.#version}: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /** @throws the signal's reason when aborted. */
  generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: GenerateOptions = {},
  ): Promise<GroupResult[]> {
    this.#requests++;
    this.#waiting = null;
    return this.#inTurn(async () => {
      if (this.#failure) throw this.#failure;
      if (this.#version === null) throw new Error('The generator has no weights yet.');
      options.signal?.throwIfAborted();
      this.#work.start();
      try {
        return await this.#answer(this.#version, requests, sampling, options);
      } finally {
        this.#work.stop();
      }
    }).finally(() => this.#requests--);
  }

  async #answer(
    policyVersion: number,
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    { signal, onProgress, onGroup }: GenerateOptions,
  ): Promise<GroupResult[]> {
    const began = millisecondsNow();
    const groups: GroupResult[] = [];
    const decodeOptions: DecodeOptions = {
      signal,
      onProgress,
      onGroup: (index, completions) => {
        const group = { completions, policyVersion, began, ended: millisecondsNow() };
        groups[index] = group;
        onGroup?.(index, group);
      },
      breathe: async () => {
        // After a round the decoder has read all its weights.
        this.#settle();
        this.#work.stop();
        await this.#breathe();
        this.#work.start();
      },
    };
    await this.#decoder.generate(requests, sampling, decodeOptions);
    return groups;
  }

  dispose(): void {
    this.#decoder.dispose();
  }
}

/**
 * Makes the decoder that the running backend and the model allow. `precision` is that of the weights that it will get.
 *
 * @throws Error if a GPU should keep keys and values in 16 bit and its kernels don't support the model's sizes.
 */
export function createDecoder(model: GeneratorModel, precision: WeightPrecision): Decoder {
  const onGpu = backendKind() === 'webgpu';
  if (onGpu && decodesOnGpu(model.config)) {
    const { device } = gpuDispatcher(tf.backend());
    const checked = checkedProducts(device, model.products);
    const products = checked.then((result) => result.products);
    return new GpuDecoder(device, model, planFor(device), precision, products);
  }
  if (onGpu && model.cachePrecision === 'f16')
    throw new Error(
      `Keys and values in 16 bit need heads of 8, 16, … 256 numbers and widths that are multiples of 4 on a GPU; this model has heads of ${model.config.headDim}. ` +
        'Set the precision of keys and values to 32 bit.',
    );
  return new HostDecoder(model, precision);
}
