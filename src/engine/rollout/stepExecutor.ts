/**
 * Computes a step of decoding when tokens are drawn on the host: the interface between `HostDecoder`, which schedules and samples, and
 * the arithmetic, and that arithmetic as tensor ops of the running backend. Rows must not depend on each other: each number of a row is
 * the same to the bit whatever else is in the call, whichever slot the row has.
 */
import type { MergePlan } from '../model/mergePlan.ts';
import * as tf from '../backend/tf.ts';
import { forkCache, type LayerCache } from '../kernels/index.ts';
import { readFloats } from '../kernels/shared/tensorBytes.ts';
import { advance, createCaches, disposeCaches, int32, prefill } from '../model/incremental.ts';
import { Adapter } from '../model/adapter.ts';
import type { FrozenBase } from '../model/frozenBase.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { mergeIntoWeights } from '../model/mergeAdapter.ts';
import { ModelWeights } from '../model/weights.ts';
import { decodedConfig, type GeneratorModel } from './decoding/decoder.ts';
import { refuseAdapter } from './decoding/weights.ts';

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

export interface StepRows {
  /** The newest token of each row. */
  readonly ids: Int32Array;
  /** The position of that token, counted from the prompt's first token. */
  readonly positions: Int32Array;
  readonly slots: Int32Array;
}

export interface StepExecutor {
  /** Takes a copy of a parameter pool (`parameterSpecs`). It must not be called between `open` and `close`. */
  setWeights(pool: Float32Array): void;
  /**
   * Merges an adapter's factors (`mergeFactors`) into a base, which must be what `setWeights` last got, in the base's own layout.
   * `rounded` rounds to numbers that a half can hold. It must not be called between `open` and `close`.
   */
  merge(plan: MergePlan, base: Float32Array, factors: Float32Array, rounded: boolean): void;
  /**
   * Takes a frozen base, which remains the caller's, and a copy of an adapter's pool that acts beside it, or null. It must not be called
   * between `open` and `close`.
   */
  setFrozen(base: FrozenBase, factors: Float32Array | null): void;
  /** Makes room for keys and values. */
  open(room: CacheRoom): void;
  /**
   * Runs prompts, keeps the keys and values of each in its place, and returns the logits after its last token, [prompts, vocabulary],
   * which the caller owns.
   */
  prefill(
    prompts: readonly { readonly ids: readonly number[]; readonly place: number }[],
  ): Promise<Float32Array>;
  /** Lets slots begin with the keys and values of a prompt of `length` tokens. */
  fork(copies: readonly { readonly place: number; readonly slot: number; readonly length: number }[]): void;
  /** Advances each row by one token: writes its key and value, and returns logits [rows, vocabulary], valid until the next call. */
  advance(rows: StepRows): Promise<Float32Array>;
  /** Frees what `open` took, even in the middle of a batch. */
  close(): void;
  dispose(): void;
}

interface OpenCaches {
  readonly room: CacheRoom;
  readonly layers: readonly LayerCache[];
}

/** An executor on the running backend. The slots of prompts come after those of rows. */
export function tfjsExecutor(generator: GeneratorModel): StepExecutor {
  const config = decodedConfig(generator);
  let model: LanguageModel | null = null;
  let open: OpenCaches | null = null;
  /** The logits of the latest step. With a large vocabulary they are megabytes, so the array is used again. */
  let latest = new Float32Array(0);

  function ready(): { model: LanguageModel; caches: OpenCaches } {
    if (!model || !open) throw new Error('A step of decoding needs weights and room.');
    return { model, caches: open };
  }

  /** Disposes of the model. A frozen base remains the caller's. */
  function disposeModel(): void {
    model?.dispose({ keepWeights: generator.frozen !== undefined });
    model = null;
  }

  async function values(logits: tf.Tensor, target?: Float32Array): Promise<Float32Array> {
    try {
      return await readFloats(logits, target);
    } finally {
      logits.dispose();
    }
  }

  return {
    setWeights(pool) {
      disposeModel();
      model = new LanguageModel(ModelWeights.fromPacked(config, pool), generator.positions);
    },
    merge(plan, base, factors, rounded) {
      if (!model) throw new Error('The generator has no weights yet.');
      mergeIntoWeights(model.pool, plan, base, factors, rounded);
    },
    setFrozen(base, factors) {
      const { config: architecture, lora, positions } = generator;
      if (!lora) refuseAdapter();
      if (factors && model?.weights === base && model.adapter) {
        model.adapter.setPacked(factors);
        return;
      }
      disposeModel();
      const adapter = factors && Adapter.fromPacked(architecture, lora, factors);
      model = new LanguageModel(base, positions, adapter);
    },
    open(room) {
      if (!model) throw new Error('The generator has no weights yet.');
      open = {
        room,
        layers: createCaches(
          model,
          room.slots + room.places,
          room.capacity,
          generator.cachePrecision === 'f16',
        ),
      };
    },
    prefill(prompts) {
      const { model: policy, caches } = ready();
      const { slots, promptLength } = caches.room;
      const copies = {
        sources: prompts.map((_, i) => i),
        slots: prompts.map(({ place }) => slots + place),
      };
      const ids = prompts.map((prompt) => prompt.ids);
      return values(tf.tidy(() => prefill(policy, ids, promptLength, caches.layers, copies)));
    },
    fork(copies) {
      if (copies.length === 0) return;
      const { room, layers } = ready().caches;
      tf.tidy(() => {
        const from = int32(copies.map(({ place }) => room.slots + place));
        const to = int32(copies.map(({ slot }) => slot));
        // Positions beyond a prompt's own length are copied too, and overwritten before they are read.
        for (const layer of layers) forkCache(layer, { from, to }, { length: room.promptLength });
      });
    },
    advance(rows) {
      const { model: policy, caches } = ready();
      const logits = tf.tidy(() => advance(policy, rows, caches.layers));
      if (latest.length < logits.size) latest = new Float32Array(logits.size);
      return values(logits, latest.subarray(0, logits.size));
    },
    close() {
      if (open) disposeCaches(open.layers);
      open = null;
      latest = new Float32Array(0);
    },
    dispose() {
      if (open) disposeCaches(open.layers);
      disposeModel();
      open = null;
    },
  };
}
