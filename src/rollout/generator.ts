/** One generator: its own copy of the model, replaced when a newer policy version arrives. */
import { messageOf } from '../hub/errors.ts';
import { millisecondsNow, Stopwatch } from './clock.ts';
import { createDecodeEngine } from './createEngine.ts';
import type { DecodeEngine, EngineOptions, GeneratorModel } from './engine.ts';
import type { GenerateOptions, GroupRequest, GroupResult, SamplingSettings } from './types.ts';
import type { WeightBytes, WeightPrecision } from './weightFormat.ts';

export type { GeneratorModel } from './engine.ts';

/**
 * Weights and requests are taken in the order in which they come: a request is answered with the newest weights that came
 * before it, however long another one is still running.
 */
export class Generator {
  readonly #engine: DecodeEngine;
  readonly #breathe: () => Promise<void>;
  readonly #work = new Stopwatch();
  #version = -1;
  /** Why the newest weights could not be taken. */
  #failure: Error | null = null;
  #lastTurn: Promise<unknown> = Promise.resolve();

  /** On the running backend. `breathe` gives the event loop a turn. */
  constructor(model: GeneratorModel, precision: WeightPrecision, breathe: () => Promise<void>) {
    this.#engine = createDecodeEngine(model, precision);
    this.#breathe = breathe;
  }

  /** Bytes of GPU memory of its own. */
  get gpuBytes(): number {
    return this.#engine.gpuBytes;
  }

  /** Seconds of work on requests so far, without the turns that it gave the event loop. */
  get busySeconds(): number {
    return this.#work.seconds;
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Takes new weights; a version that is not newer is ignored, as in the Monarch system. Resolves once the bytes have been
   * read. Weights that can't be taken make the next requests fail.
   */
  async setWeights(version: number, weights: WeightBytes): Promise<void> {
    await this.#inTurn(() => {
      if (version <= this.#version) return;
      this.#version = version;
      this.#attempt(() => this.#engine.setWeights(weights));
    });
    // A request that is here already reads them itself, each layer beside the work on the one before.
    await this.#breathe();
    await this.#inTurn(() => this.#attempt(() => this.#engine.settle(), this.#failure));
  }

  #attempt(work: () => void, before: Error | null = null): void {
    this.#failure = before;
    try {
      work();
    } catch (error) {
      this.#failure = new Error(
        `The generator could not take the weights of version ${this.#version}: ${messageOf(error)}`,
      );
    }
  }

  /** @throws the signal's reason when aborted. */
  generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: GenerateOptions = {},
  ): Promise<GroupResult[]> {
    return this.#inTurn(async () => {
      if (this.#failure) throw this.#failure;
      if (this.#version < 0) throw new Error('The generator has no weights yet.');
      options.signal?.throwIfAborted();
      this.#work.start();
      try {
        return await this.#answer(requests, sampling, options);
      } finally {
        this.#work.stop();
      }
    });
  }

  async #answer(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    { signal, onProgress, onGroup }: GenerateOptions,
  ): Promise<GroupResult[]> {
    const policyVersion = this.#version;
    const began = millisecondsNow();
    const groups: GroupResult[] = [];
    const engineOptions: EngineOptions = {
      signal,
      onProgress,
      onGroup: (index, completions) => {
        const group = { completions, policyVersion, began, ended: millisecondsNow() };
        groups[index] = group;
        onGroup?.(index, group);
      },
      breathe: async () => {
        this.#work.stop();
        await this.#breathe();
        this.#work.start();
      },
    };
    await this.#engine.generate(requests, sampling, engineOptions);
    return groups;
  }

  dispose(): void {
    this.#engine.dispose();
  }
}
