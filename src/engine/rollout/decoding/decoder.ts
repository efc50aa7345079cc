/** The interface of all decoders. */
import type { GroupRequest, SampledCompletion, SamplingProgress, SamplingSettings } from './types.ts';
import type { ModelOrigin, TokenBytes } from '../../hub/types.ts';
import type { CachePrecision, DecodeProducts } from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import type { FrozenFormats } from '../../model/baseSource.ts';
import type { FrozenBase } from '../../model/frozenBase.ts';
import { mergedConfig, type LoraSettings } from '../../model/lora.ts';
import type { WeightBytes } from './weights.ts';

export interface GeneratorModel {
  /** The architecture; under LoRA that of the base. */
  readonly config: ModelConfig;
  /**
   * The adapter of weights that come as a base that stays and, version by version, an adapter. The two are merged in a pool, and act side
   * by side with a frozen base.
   */
  readonly lora?: LoraSettings;
  /** The formats of the matrices of a frozen base; only with `lora`. */
  readonly frozen?: FrozenFormats;
  /** The origin of a frozen base's files, from which generators of other machines may fetch them. */
  readonly origin?: Omit<ModelOrigin, 'revision'>;
  /** True if adapters are merged into copies of a frozen base's matrices, in f16, and do not act beside them. */
  readonly merged?: boolean;
  readonly stopTokenIds: readonly number[];
  /** The number of ids that are tokens. Rows of the embedding from there on are padding, and are never drawn. All are drawn if it is left out. */
  readonly drawableIds?: number;
  /** The longest padded prompt plus completion of any request. */
  readonly positions: number;
  /** The limit on keys and values in bytes; there is always room for one completion. */
  readonly cacheBytes?: number;
  /** The precision of keys and values between two tokens; f32 by default. */
  readonly cachePrecision?: CachePrecision;
  /** The products of generators on a GPU that offers them and computes them right; exact ones by default, and everywhere else. */
  readonly products?: DecodeProducts;
  /** True if the thread and the device that decode also draw the page: submissions to a GPU are then short, one after the other. */
  readonly besidePage?: boolean;
  readonly tokenBytes?: TokenBytes;
}

export interface DecodeOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SamplingProgress) => void;
  /** Receives each request as soon as its last completion is done: its index and the completions of the result. */
  readonly onGroup?: (index: number, completions: readonly SampledCompletion[]) => void;
  /** The decoder awaits it once a round, so that messages can arrive. */
  readonly breathe: () => Promise<void>;
}

export interface Decoder {
  /**
   * Takes new weights for the next `generate`. They may be read until `settle` has been called or a `generate` has begun, and must not
   * change before. Under LoRA they are a base, which must never change and has no adapter at first.
   */
  setWeights(weights: WeightBytes): void;
  /** Takes a frozen base on the running backend, which remains the caller's, for all following calls of `generate`. It has no adapter at first. */
  setBase(base: FrozenBase): void;
  /**
   * Takes an adapter's factors (`Adapter.pack`) for the next `generate`, which are merged into the base or act beside a frozen one. They
   * are not read afterwards.
   *
   * @throws Error if the model has no LoRA or the decoder no base, or if they have another length.
   */
  setAdapter(factors: Float32Array): void;
  /** Reads the weights that have not been read yet. */
  settle(): void;
  /**
   * Completions for each request, in order. Only one call may run at a time.
   *
   * @throws the signal's reason when aborted, and Error if the logits are not finite.
   */
  generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: DecodeOptions,
  ): Promise<SampledCompletion[][]>;
  dispose(): void;
}

/** The architecture that is decoded with. Under LoRA it is the merged one if base and adapter are merged. */
export function decodedConfig({
  config,
  lora,
  frozen,
  merged = false,
}: Pick<GeneratorModel, 'config' | 'lora' | 'frozen' | 'merged'>): ModelConfig {
  return lora && (!frozen || merged) ? mergedConfig(config, lora) : config;
}

/** @throws Error if a prompt with its completion is longer than the model was opened for. */
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
