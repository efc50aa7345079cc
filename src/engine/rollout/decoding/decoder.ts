/** What decodes, whatever it runs on. */
import type { GroupRequest, SampledCompletion, SamplingProgress, SamplingSettings } from './types.ts';
import type { ModelOrigin, TokenBytes } from '../../hub/types.ts';
import type { CachePrecision } from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import type { FrozenFormats } from '../../model/baseSource.ts';
import type { FrozenBase } from '../../model/frozenBase.ts';
import { mergedConfig, type LoraSettings } from '../../model/lora.ts';
import type { WeightBytes } from './weights.ts';

export interface GeneratorModel {
  /** Under LoRA, of the base. */
  readonly config: ModelConfig;
  /** Where weights come as a base that stays and, version by version, an adapter: to be merged into a pool, beside a frozen base not. */
  readonly lora?: LoraSettings;
  /** How the matrices of a frozen base lie on the device; only with `lora`. */
  readonly frozen?: FrozenFormats;
  /** Where the files of a frozen base came from: generators of other machines may fetch them there. */
  readonly origin?: Omit<ModelOrigin, 'revision'>;
  /** Whether adapters are merged into copies of a frozen base's matrices, in f16, and do not act beside them. */
  readonly merged?: boolean;
  readonly stopTokenIds: readonly number[];
  /** Tokens are the ids below; rows of the embedding from there on pad it, and are never drawn. All are drawn where it is absent. */
  readonly drawableIds?: number;
  /** The longest padded prompt plus completion that will be asked for. */
  readonly positions: number;
  /** Of keys and values, at most; room for one completion is taken anyway. */
  readonly cacheBytes?: number;
  /** Of keys and values between two tokens; f32 where it is left out. */
  readonly cachePrecision?: CachePrecision;
  /** Whether the page is drawn by the thread and the device that decode: submissions to a GPU are then short, one after the other. */
  readonly besidePage?: boolean;
  /** Needed where stop strings will be asked for. */
  readonly tokenBytes?: TokenBytes;
}

export interface DecodeOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SamplingProgress) => void;
  /** Hears of each request as soon as its last completion is done: its index and the completions of the result. */
  readonly onGroup?: (index: number, completions: readonly SampledCompletion[]) => void;
  /** Awaited once a round, so that messages can be heard. */
  readonly breathe: () => Promise<void>;
}

export interface Decoder {
  /**
   * Takes new weights for the next `generate`. They may be read until `settle` has been called or a `generate` has begun, and
   * must not change before. Under LoRA they are a base, which must never change, and which has no adapter at first.
   */
  setWeights(weights: WeightBytes): void;
  /** Takes a frozen base on the running backend, which stays the caller's, for all `generate` that follow. It has no adapter at first. */
  setBase(base: FrozenBase): void;
  /**
   * Under LoRA: takes an adapter's factors (`Adapter.pack`) for the next `generate`, to be merged into the base, or used beside a frozen
   * one. They are not read afterwards.
   * @throws where the model has no LoRA or the decoder no base, or where they have another length.
   */
  setAdapter(factors: Float32Array): void;
  /** Reads what is left to read of the weights. */
  settle(): void;
  /**
   * Completions per request, in order. One call at a time.
   * @throws the signal's reason when aborted, and where the logits are not finite.
   */
  generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: DecodeOptions,
  ): Promise<SampledCompletion[][]>;
  /** Bytes of GPU memory of its own; 0 where it has none. */
  readonly gpuBytes: number;
  dispose(): void;
}

/** The architecture that is decoded with: under LoRA that of base and adapter merged, where they are. */
export function decodedConfig({
  config,
  lora,
  frozen,
  merged = false,
}: Pick<GeneratorModel, 'config' | 'lora' | 'frozen' | 'merged'>): ModelConfig {
  return lora && (!frozen || merged) ? mergedConfig(config, lora) : config;
}

/** @throws where a prompt with its completion is longer than the model was opened for. */
export function checkLengths(
  { positions }: GeneratorModel,
  requests: readonly GroupRequest[],
  { maxTokens }: SamplingSettings,
): void {
  for (const { promptIds } of requests) {
    if (promptIds.length === 0) throw new Error('A prompt has no tokens; at least 1 is needed.');
    if (promptIds.length + maxTokens > positions)
      throw new Error(
        `A prompt of ${promptIds.length} tokens and ${maxTokens} to sample are more than the ${positions} positions ` +
          'that this generator was started for.',
      );
  }
}
