/** The records that one training run produces. */
import type { MeasuredRollout } from './metrics/context.ts';

export type { RewardPart, StepMetrics } from './metrics/index.ts';

/** One scored completion, as the page and the run directory see it. */
export interface ScoredRollout extends MeasuredRollout {
  readonly question: string;
  /** Its problem's place in the run's stream, and how often that was asked before. */
  readonly index: number;
  readonly attempt: number;
  /** Mean over its tokens; all have the same but under KL shaping. */
  readonly advantage: number;
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
