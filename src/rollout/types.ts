/** Records of the sampling side: what is asked of a generator and what it returns. */
import type { StopReason } from '../tasks/types.ts';

export interface SamplingSettings {
  /** 0 means greedy. */
  readonly temperature: number;
  /** Nucleus mass in (0, 1]; 1 keeps everything. */
  readonly topP: number;
  /** 0 keeps everything. */
  readonly topK: number;
  readonly maxTokens: number;
}

/** One group: `samples` completions of one prompt. */
export interface GroupRequest {
  readonly promptIds: readonly number[];
  readonly samples: number;
  /** Names the random stream together with seed, sample number and position; nothing else enters a draw. */
  readonly seed: number;
  readonly step: number;
  readonly problem: number;
}

export interface SampledCompletion {
  /** Sampled token ids, the end-of-sequence token included when it was drawn. */
  readonly tokens: number[];
  /** log-probability of each token under the temperature-scaled, unfiltered distribution (at T = 1 if greedy). */
  readonly logprobs: number[];
  readonly stopReason: StopReason;
  /** Set when `stopReason` is `error`. */
  readonly error?: string;
}

export interface GroupResult {
  readonly completions: SampledCompletion[];
  /** The version of the weights that produced them. */
  readonly policyVersion: number;
}

export interface SamplingProgress {
  readonly tokens: number;
  readonly finished: number;
  readonly total: number;
}

/** What the training loop needs from a set of generators: Web Workers in the page, in-process under Node. */
export interface GeneratorPool {
  readonly size: number;
  /** Hands new weights to every generator; resolves once all of them hold `version`. Names are Hugging Face's. */
  setWeights(version: number, weights: NamedArrays): Promise<void>;
  /** Results in the order of the requests. */
  generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options?: { signal?: AbortSignal; onProgress?: (progress: SamplingProgress) => void },
  ): Promise<GroupResult[]>;
  dispose(): void;
}

/** Flat arrays in Hugging Face names and layout. */
export type NamedArrays = ReadonlyMap<string, NamedArray>;
export interface NamedArray {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}
