/** Where a model's files come from, and what a loaded model is made of before it meets a device. */
import type { ChatMessage } from '../tasks/types.ts';
import type { ModelConfig } from '../model/config.ts';

/** A folder in Hugging Face layout: bundled, on disk, in a zip. */
export interface ModelFiles {
  /** Shown in messages. */
  readonly label: string;
  /** Every file there is; absent where the source can't be listed (a URL). */
  readonly names?: readonly string[];
  /** The bytes of one file; null where it does not exist. Throws when reading fails. */
  read(
    name: string,
    options?: { signal?: AbortSignal; onProgress?: (done: number, total: number) => void },
  ): Promise<Uint8Array | null>;
}

export interface Tokenizer {
  readonly vocabSize: number;
  readonly eosTokenId: number;
  readonly padTokenId: number;
  encode(text: string): number[];
  /** Special tokens are left out of the text. */
  decode(ids: readonly number[]): string;
  /** Token ids of the rendered chat template, ending with the generation prompt. */
  promptIds(messages: readonly ChatMessage[]): number[];
}

/** Parameter name (Hugging Face's) → shape (Hugging Face's) and f32 values. */
export type WeightArrays = ReadonlyMap<
  string,
  { readonly shape: readonly number[]; readonly data: Float32Array }
>;

export interface LoadedModel {
  readonly name: string;
  readonly config: ModelConfig;
  readonly weights: WeightArrays;
  readonly tokenizer: Tokenizer;
  /** Every token that ends a completion (generation_config.json, else config.json). */
  readonly stopTokenIds: readonly number[];
  /** The files that a checkpoint carries along unchanged, by name (tokenizer, configs). */
  readonly sideFiles: ReadonlyMap<string, Uint8Array>;
  /** `compact` for models whose config says so (`rl_playground.prompt_style`), else `full`. */
  readonly promptStyle: 'full' | 'compact';
}
