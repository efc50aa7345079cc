/** Records of the sampling side: requests to a generator and its results. */
import type { BaseSource } from '../../model/baseSource.ts';
import type { FrozenBase } from '../../model/frozenBase.ts';
import type { StopReason } from '@rl-playground/base/conversation';

export interface SamplingSettings {
  /** The temperature; 0 means greedy. */
  readonly temperature: number;
  /** The nucleus mass in (0, 1]; 1 keeps everything. */
  readonly topP: number;
  /** The number of likeliest tokens that are kept; 0 keeps everything. */
  readonly topK: number;
  /** The least probability of a token relative to the likeliest, among those that top-k and top-p leave; 0 or none keeps everything. */
  readonly minP?: number;
  /** The penalty on tokens that occur in prompt or completion (repetitionPenalty.ts), above 0; 1 or none changes nothing. */
  readonly repetitionPenalty?: number;
  /** The standard deviation of Gaussian noise on the logits (logitNoise.ts), which comes first; none by default. */
  readonly logitNoise?: number;
  readonly maxTokens: number;
  /** Texts that end a completion, wherever token borders are. The token in which one ends is the last and is kept whole. An empty list means none. */
  readonly stop: readonly string[];
}

/** One group: `samples` completions of one prompt. */
export interface GroupRequest {
  readonly promptIds: readonly number[];
  readonly samples: number;
  /** The seed, step and problem, which together with the sample's number and its position decide every draw; nothing else does. */
  readonly seed: number;
  readonly step: number;
  readonly problem: number;
}

export interface SampledCompletion {
  /** The sampled token ids, including the end-of-sequence token or those of the stop string. */
  readonly tokens: readonly number[];
  /** The log-probability of each token under the temperature-scaled, unfiltered and unpenalised distribution (T = 1 when greedy), with the noise. */
  readonly logprobs: readonly number[];
  readonly stopReason: StopReason;
  /** The message of a completion whose `stopReason` is `error`. */
  readonly error?: string;
}

export interface GroupResult {
  readonly completions: readonly SampledCompletion[];
  /** The version of the weights that produced them. */
  readonly policyVersion: number;
  /**
   * The milliseconds since 1970 when its generator began the request and when its last completion was done. For a failed group they are
   * the times when it was asked for and when it failed.
   */
  readonly began: number;
  readonly ended: number;
}

export interface SamplingProgress {
  readonly tokens: number;
  readonly finished: number;
  readonly total: number;
  /** The tokens so far of the completion that has been running longest, to be read at once. Generators in other threads leave them out. */
  readonly underWay?: readonly number[] | undefined;
}

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SamplingProgress) => void;
  /** Receives each group as soon as its last completion is done: the request's index and the same record as in the result. */
  readonly onGroup?: (index: number, group: GroupResult) => void;
  /** True if a pool may take back a group that was reported and ask for it again, because the result alone counts. */
  readonly mayTakeBack?: boolean;
  /** The milliseconds without a message from a generator after which its part is given up, if that is sooner than the pool's own deadline. */
  readonly patience?: number;
}

/** The set of generators that a training loop uses: Web Workers in the page, one in the same thread under Node. */
export interface GeneratorPool {
  readonly size: number;
  /** The count of numbers that `generateOn` accepts, if it is above the number of generators: so many calls side by side keep all of them busy. */
  readonly places?: number;
  /**
   * Publishes new weights (`ModelWeights.pack`) under `version`; they answer all later requests. Resolves as soon as `packed` may be
   * changed again. Generators take the weights when they next have time, and an error then is that of the following requests.
   */
  setWeights(version: number, packed: Float32Array): Promise<void>;
  /**
   * Gives generators of a frozen base a copy of it, read from the device of the caller, or the base itself if they share its thread. It
   * must live as long as the pool, because a generator that starts anew gets it again. Resolves when all have it; rejects if one can't
   * take it.
   */
  setBase(version: number, base: FrozenBase): Promise<void>;
  /**
   * Publishes new factors (`Adapter.pack`) under `version`, as `setWeights` does with whole weights. The generators hold the base, which
   * `setWeights` has given them once, and merge; beside a base of `setBase` factors act unmerged. Requests before a base's first adapter
   * are answered with the base. Rejects if the generators were started without LoRA.
   */
  setAdapter(version: number, packed: Float32Array): Promise<void>;
  /**
   * Returns results in the order of the requests, which are dealt to the generators in turn. Rejects with the signal's reason when
   * aborted; groups that had not ended then are not reported.
   */
  generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options?: GenerateOptions,
  ): Promise<GroupResult[]>;
  /** Generates on one generator alone (0 … size − 1, or places − 1). Several calls may run at once, and each generator takes its own in turn. */
  generateOn(
    generator: number,
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options?: GenerateOptions,
  ): Promise<GroupResult[]>;
  /** The seconds that generators have worked on requests so far, summed over them. They are current to about a round of decoding. */
  readonly busySeconds: number;
  /** The bytes of the last weights or factors that were handed over to one generator. */
  readonly handedOverBytes: number;
  dispose(): void;
}

/** Generators that take a frozen base from anywhere, and not only from a device of the caller. */
export interface BaseTakingPool extends GeneratorPool {
  setBase(version: number, base: BaseSource): Promise<void>;
}
