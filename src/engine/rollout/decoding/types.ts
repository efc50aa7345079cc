/** Records of the sampling side: what is asked of a generator and what it returns. */
import type { BaseSource } from '../../model/baseSource.ts';
import type { FrozenBase } from '../../model/frozenBase.ts';
import type { StopReason } from '@rl-playground/base/conversation';

export interface SamplingSettings {
  /** 0 means greedy. */
  readonly temperature: number;
  /** Nucleus mass in (0, 1]; 1 keeps everything. */
  readonly topP: number;
  /** 0 keeps everything. */
  readonly topK: number;
  /** Of what top-k and top-p leave: keeps tokens at least this many times as probable as the likeliest; 0 or left out keeps everything. */
  readonly minP?: number;
  /** Of tokens that stand in prompt or completion (repetitionPenalty.ts): above 0; 1 or left out changes nothing. */
  readonly repetitionPenalty?: number;
  /** Standard deviation of Gaussian noise on the logits (logitNoise.ts), before all else; none where it is left out. */
  readonly logitNoise?: number;
  readonly maxTokens: number;
  /**
   * Texts that end a completion, wherever token borders are. The token in which one ends is the last and is kept whole. None
   * where empty.
   */
  readonly stop: readonly string[];
}

/** One group: `samples` completions of one prompt. */
export interface GroupRequest {
  readonly promptIds: readonly number[];
  readonly samples: number;
  /** These three, the sample's number and its position decide every draw; nothing else enters. */
  readonly seed: number;
  readonly step: number;
  readonly problem: number;
}

export interface SampledCompletion {
  /** Sampled token ids, the end-of-sequence token or those of the stop string included. */
  readonly tokens: readonly number[];
  /** log-probability of each token under the temperature-scaled, unfiltered and unpenalised distribution (T = 1 when greedy), noise included. */
  readonly logprobs: readonly number[];
  readonly stopReason: StopReason;
  /** Set when `stopReason` is `error`. */
  readonly error?: string;
}

export interface GroupResult {
  readonly completions: readonly SampledCompletion[];
  /** The version of the weights that produced them. */
  readonly policyVersion: number;
  /**
   * Milliseconds since 1970 when its generator began the request and when its last completion was done; of a failed group, when
   * it was asked for and when it failed.
   */
  readonly began: number;
  readonly ended: number;
}

export interface SamplingProgress {
  readonly tokens: number;
  readonly finished: number;
  readonly total: number;
  /** Of the completion that has been under way longest: its tokens so far, to be read at once. Generators in other threads leave them out. */
  readonly underWay?: readonly number[] | undefined;
}

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SamplingProgress) => void;
  /** Hears of each group as soon as its last completion is done: the request's index and the same record as in the result. */
  readonly onGroup?: (index: number, group: GroupResult) => void;
  /** Milliseconds without a word from a generator after which its part is given up, where that is sooner than the pool's own deadline. */
  readonly patience?: number;
}

/** What the training loop needs from a set of generators: Web Workers in the page, one in the same thread under Node. */
export interface GeneratorPool {
  readonly size: number;
  /** Numbers that `generateOn` takes, where they are more than there are generators: so many calls side by side leave none of them waiting. */
  readonly places?: number;
  /**
   * Publishes new weights (`ModelWeights.pack`) under `version`: all requests after it are answered with them. Resolves as soon
   * as `packed` may be changed again; generators take the weights when they next have time, and what goes wrong then is the
   * error of the requests that follow.
   */
  setWeights(version: number, packed: Float32Array): Promise<void>;
  /**
   * Gives generators of a frozen base a copy of it, read from the device of the caller, or the base itself where they share its
   * thread. It must live as long as the pool: a generator that starts anew is given it again. Resolves when all have it; rejects
   * where one can't take it.
   */
  setBase(version: number, base: FrozenBase): Promise<void>;
  /**
   * Under LoRA: publishes new factors (`Adapter.pack`) under `version`, as `setWeights` does with whole weights. The generators hold the
   * base, which `setWeights` has given them once, and merge; beside a base of `setBase` factors act unmerged. Before a base's first adapter, requests are answered with the base.
   * Rejects where the generators were started without LoRA.
   */
  setAdapter(version: number, packed: Float32Array): Promise<void>;
  /**
   * Results in the order of the requests, which are dealt to the generators in turn. Rejects with the signal's reason when aborted;
   * groups that had not ended then are not heard of.
   */
  generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options?: GenerateOptions,
  ): Promise<GroupResult[]>;
  /** The same on one generator (0 … size − 1, or places − 1) alone: several calls may be under way, each generator takes its own in turn. */
  generateOn(
    generator: number,
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options?: GenerateOptions,
  ): Promise<GroupResult[]>;
  /** Seconds in which generators worked on requests so far, summed over them; up to date to about a round of decoding. */
  readonly busySeconds: number;
  /** Bytes of the last weights or factors handed over, to one generator. */
  readonly handedOverBytes: number;
  dispose(): void;
}

/** Generators that take a frozen base wherever it lies, and not from a device of the caller alone. */
export interface BaseTakingPool extends GeneratorPool {
  setBase(version: number, base: BaseSource): Promise<void>;
}
