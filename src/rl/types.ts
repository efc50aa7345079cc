/** The records that one training run produces. */
import type { Problem, Reward, StopReason } from '../tasks/types.ts';

/** One scored completion, as the trainer and the page see it. */
export interface ScoredRollout {
  readonly problem: Problem;
  /** Index of its task among those of the run. */
  readonly part: number;
  readonly question: string;
  readonly text: string;
  readonly reward: Reward;
  readonly advantage: number;
  readonly promptIds: readonly number[];
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly stopReason: StopReason;
}

/** How one of several tasks did in a step or an evaluation, or one under a curriculum. */
export interface TaskShare {
  readonly task: string;
  readonly reward: number;
  readonly accuracy: number;
  readonly format: number;
  /** Completions; a task without any is left out. */
  readonly n: number;
  /** Level of difficulty, 1 the easiest; null without a curriculum. */
  readonly level: number | null;
}

/** One record per step; charts, console and files all read these. Units: nats, seconds, tokens. */
export interface StepMetrics {
  /** 1 for the first update. */
  readonly step: number;
  readonly reward: number;
  readonly rewardStd: number;
  readonly accuracy: number;
  readonly format: number;
  /** The same by task, where there are several or a curriculum. */
  readonly tasks: readonly TaskShare[];
  /** Masked token mean of the k3 estimator of KL(policy ‖ policy at the start of the run). */
  readonly kl: number;
  readonly entropy: number;
  readonly loss: number;
  readonly gradNorm: number;
  readonly learningRate: number;
  /** Mean of log q − log p over sampled tokens, q the sampler, p the trainer before the update. */
  readonly klSampleTrainV1: number;
  /** Half the mean square of the same. */
  readonly klSampleTrainV2: number;
  /** Share of groups whose rewards differ: the ones that carry signal under GRPO. */
  readonly fracMixed: number;
  readonly completionTokens: number;
  readonly meanLength: number;
  /** Share of completions cut by the token budget. */
  readonly truncated: number;
  /** The moving baseline, where the algorithm has one. */
  readonly baseline: number | null;
  readonly policyVersion: number;
  readonly seconds: number;
  readonly secondsRollout: number;
  readonly secondsTrain: number;
  readonly secondsSync: number;
}

export interface EvalSample {
  readonly task: string;
  readonly question: string;
  readonly answer: string;
  readonly text: string;
  readonly extracted: string | null;
  readonly correct: boolean;
  readonly format: boolean;
}

export interface EvalResult {
  /** Number of updates made before this evaluation. */
  readonly step: number;
  readonly accuracy: number;
  readonly format: number;
  readonly n: number;
  readonly tasks: readonly TaskShare[];
  readonly temperature: number;
  readonly seconds: number;
  readonly samples: readonly EvalSample[];
}
