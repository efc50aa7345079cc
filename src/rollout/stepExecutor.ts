/**
 * What computes a step of decoding where tokens are drawn on the host: the seam between `HostDecoder`, which schedules
 * and samples, and the arithmetic. Rows must not depend on each other: each number of a row is the same to the bit whatever
 * else is in the call, whichever slot the row has.
 */

import type { MergePlan } from '../model/mergePlan.ts';

/** Room for one `generate`, known beforehand. */
export interface CacheRoom {
  /** Rows decoded at once; their slots are 0 … slots − 1. */
  readonly slots: number;
  /** Prompts kept at once; their places are 0 … places − 1. */
  readonly places: number;
  /** The longest prompt, rounded up. */
  readonly promptLength: number;
  /** The longest prompt plus completion, rounded up. */
  readonly capacity: number;
}

export interface StepRows {
  /** The newest token of each row. */
  readonly ids: Int32Array;
  /** Its position, counted from the prompt's first token. */
  readonly positions: Int32Array;
  readonly slots: Int32Array;
}

export interface StepExecutor {
  /** Takes a copy of a parameter pool (`parameterSpecs`). Not between `open` and `close`. */
  setWeights(pool: Float32Array): void;
  /**
   * Merges an adapter's factors (`mergeFactors`) into a base, which is what `setWeights` was last given in the base's own layout.
   * `rounded`: to what a half can hold. Not between `open` and `close`.
   */
  merge(plan: MergePlan, base: Float32Array, factors: Float32Array, rounded: boolean): void;
  /** Makes room for keys and values. */
  open(room: CacheRoom): void;
  /**
   * Runs prompts, keeps the keys and values of each in its place, and returns the logits after its last token:
   * [prompts, vocabulary], the caller's own.
   */
  prefill(
    prompts: readonly { readonly ids: readonly number[]; readonly place: number }[],
  ): Promise<Float32Array>;
  /** Lets slots begin with the keys and values of a prompt of `length` tokens. */
  fork(copies: readonly { readonly place: number; readonly slot: number; readonly length: number }[]): void;
  /** One more token for each row: writes its key and value, returns logits [rows, vocabulary], valid until the next call. */
  advance(rows: StepRows): Promise<Float32Array>;
  /** Frees what `open` took, also in the middle of a batch. */
  close(): void;
  dispose(): void;
}
