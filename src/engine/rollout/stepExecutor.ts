/**
 * Computes steps of decoding by tensor ops of the running backend for `HostDecoder`, which schedules and samples. Rows do not depend on
 * each other: each number of a row is the same to the bit whatever else is in the call, whichever slot the row has.
 */
import type { MergePlan } from '../model/mergePlan.ts';
import * as tf from '../backend/tf.ts';
import { forkCache, rowMasses, type LayerCache, type RowMass } from '../kernels/index.ts';
import { readFloats } from '../kernels/shared/tensorBytes.ts';
import { advance, createCaches, disposeCaches, int32, prefill } from '../model/incremental.ts';
import { Adapter } from '../model/adapter.ts';
import type { FrozenBase } from '../model/frozenBase.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { mergeIntoWeights } from '../model/mergeAdapter.ts';
import { ModelWeights } from '../model/weights.ts';
import { decodedConfig, type GeneratorModel } from './decoding/decoder.ts';
import { softmaxTemperature } from './decoding/sampler.ts';
import type { SamplingSettings } from './decoding/types.ts';
import { refuseAdapter } from './decoding/weights.ts';
import { PREFILL_ROWS } from './gpu/sizes.ts';

/** The room for one `generate`, which is known beforehand. */
export interface CacheRoom {
  /** The number of rows that are decoded at once; their slots are 0 … slots − 1. */
  readonly slots: number;
  /** The number of prompts that are kept at once; their places are 0 … places − 1. */
  readonly places: number;
  /** The length of the longest prompt, rounded up. */
  readonly promptLength: number;
  /** The length of the longest prompt plus completion, rounded up. */
  readonly capacity: number;
}

interface OpenCaches {
  readonly room: CacheRoom;
  readonly layers: readonly LayerCache[];
}

/** The logits of a row, and what a draw needs of them where the device has found it. */
export interface RowLogits {
  readonly logits: Float32Array;
  readonly mass: RowMass | null;
}

export type LogitsOfRow = (row: number) => RowLogits;

/** The slots of prompts come after those of rows. Weights are taken only while no room is open. */
export class StepExecutor {
  readonly #generator: GeneratorModel;
  #model: LanguageModel | null = null;
  #caches: OpenCaches | null = null;
  /** The logits of the latest step. With a large vocabulary they are megabytes, so the array is used again. */
  #latest = new Float32Array(0);

  constructor(generator: GeneratorModel) {
    this.#generator = generator;
  }

  get #ready(): LanguageModel {
    if (!this.#model) throw new Error('The generator has no weights yet.');
    return this.#model;
  }

  get #open(): OpenCaches {
    if (!this.#caches) throw new Error('A step of decoding needs room.');
    return this.#caches;
  }

  /** Disposes of the model. A frozen base remains the caller's. */
  #disposeModel(): void {
    this.#model?.dispose({ keepWeights: this.#generator.frozen !== undefined });
    this.#model = null;
  }

  /** Takes a copy of a parameter pool (`parameterSpecs`). */
  setWeights(pool: Float32Array): void {
    this.#disposeModel();
    const weights = new ModelWeights(decodedConfig(this.#generator), pool);
    this.#model = new LanguageModel(weights, this.#generator.positions);
  }

  /**
   * Merges an adapter's factors (`mergeFactors`) into a base, which must be what `setWeights` last got, in the base's own layout.
   * `rounded` rounds to numbers that a half can hold.
   */
  merge(plan: MergePlan, base: Float32Array, factors: Float32Array, rounded: boolean): void {
    mergeIntoWeights(this.#ready.pool, plan, base, factors, rounded);
  }

  /** Takes a frozen base, which remains the caller's, and a copy of an adapter's pool that acts beside it, or null. */
  setFrozen(base: FrozenBase, factors: Float32Array | null): void {
    const { config, lora, positions } = this.#generator;
    if (!lora) refuseAdapter();
    if (factors && this.#model?.weights === base && this.#model.adapter) {
      this.#model.adapter.setPacked(factors);
      return;
    }
    this.#disposeModel();
    this.#model = new LanguageModel(base, positions, factors && new Adapter(config, lora, factors));
  }

  /** Makes room for keys and values. */
  open(room: CacheRoom): void {
    const halves = this.#generator.cachePrecision === 'f16';
    this.#caches = {
      room,
      layers: createCaches(this.#ready, room.slots + room.places, room.capacity, halves),
    };
  }

  /** The number of prompts whose blocks may be in memory together. */
  get promptsAtOnce(): number {
    return Math.max(1, Math.floor(PREFILL_ROWS / this.#open.room.promptLength));
  }

  /** Runs prompts, keeps the keys and values of each in its place, and returns the logits after its last token, which the caller owns. */
  prefill(
    prompts: readonly { readonly ids: readonly number[]; readonly place: number }[],
    sampling: SamplingSettings,
  ): Promise<LogitsOfRow> {
    const { room, layers } = this.#open;
    const copies = {
      sources: prompts.map((_, i) => i),
      slots: prompts.map(({ place }) => room.slots + place),
    };
    const ids = prompts.map((prompt) => prompt.ids);
    return this.#rowsOf(
      tf.tidy(() => prefill(this.#ready, ids, room.promptLength, layers, copies)),
      sampling,
    );
  }

  /** Lets slots begin with the keys and values of a prompt of `length` tokens. */
  fork(copies: readonly { readonly place: number; readonly slot: number; readonly length: number }[]): void {
    if (copies.length === 0) return;
    const { room, layers } = this.#open;
    tf.tidy(() => {
      const from = int32(copies.map(({ place }) => room.slots + place));
      const to = int32(copies.map(({ slot }) => slot));
      // Places beyond a prompt's own length are copied too, and overwritten before they are read.
      for (const layer of layers) forkCache(layer, { from, to }, { length: room.promptLength });
    });
  }

  /**
   * Advances each row by one token: writes the key and value of `ids[r]` at `positions[r]` of `slots[r]`, and returns the logits after it,
   * valid until the next call.
   */
  advance(rows: Parameters<typeof advance>[1], sampling: SamplingSettings): Promise<LogitsOfRow> {
    const logits = tf.tidy(() => advance(this.#ready, rows, this.#open.layers));
    if (this.#latest.length < logits.size) this.#latest = new Float32Array(logits.size);
    return this.#rowsOf(logits, sampling, this.#latest.subarray(0, logits.size));
  }

  /** Reads logits [N, V], into `target` if it is given, and disposes of them. */
  async #rowsOf(
    logits: tf.Tensor2D,
    sampling: SamplingSettings,
    target?: Float32Array,
  ): Promise<LogitsOfRow> {
    const [, vocab] = logits.shape;
    try {
      const drawable = this.#generator.drawableIds ?? vocab;
      // Noise changes the logits before they are drawn from, and with them their mass.
      const noisy = (sampling.logitNoise ?? 0) > 0;
      const masses = noisy ? null : rowMasses(logits, drawable, softmaxTemperature(sampling));
      const values = await readFloats(logits, target);
      return (row) => ({
        logits: values.subarray(row * vocab, (row + 1) * vocab),
        mass: masses?.[row] ?? null,
      });
    } finally {
      logits.dispose();
    }
  }

  /** Frees what `open` took, even in the middle of a batch. */
  close(): void {
    if (this.#caches) disposeCaches(this.#caches.layers);
    this.#caches = null;
    this.#latest = new Float32Array(0);
  }

  dispose(): void {
    this.close();
    this.#disposeModel();
  }
}
