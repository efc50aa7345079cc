/** Where a step's groups come from, whatever the schedule. */
import type { GeneratorPool, GroupResult, SamplingSettings } from '../../rollout/types.ts';
import type { Problem } from '../../tasks/types.ts';

/** One problem, as it is put to the model. */
export interface Asked {
  /** Its place in the run's stream of problems: 0, 1, … */
  readonly index: number;
  readonly problem: Problem;
  /** Index of its task among those of the run, and its level of difficulty (null without a curriculum). */
  readonly part: number;
  readonly question: string;
  readonly promptIds: readonly number[];
  /** How often it was asked before and its answers were too old to train on. */
  readonly attempt: number;
}

export interface AnsweredGroup {
  readonly asked: Asked;
  readonly result: GroupResult;
}

export interface SourceOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: {
    readonly finished: number;
    readonly total: number;
    readonly tokens: number;
  }) => void;
}

/** The index of the first problem of the stream that was never asked, and those to be asked again: what a checkpoint keeps. */
export interface SourcePosition {
  readonly next: number;
  readonly again: readonly { readonly index: number; readonly attempt: number }[];
}

/** What `createSource(parts)` makes a source of. */
export interface SourceParts {
  readonly schedule: 'sync' | 'stream' | 'async';
  readonly pool: GeneratorPool;
  readonly sampling: SamplingSettings;
  readonly seed: number;
  /** Problems of a step, and answers to each. */
  readonly problems: number;
  readonly samples: number;
  /** Only the asynchronous schedule looks at it. */
  readonly maxStepsOffPolicy: number;
  readonly ask: (index: number, attempt: number) => Asked;
  readonly position: SourcePosition;
}

/** The sampling side of a schedule. */
export interface GroupSource {
  /**
   * The groups of step `step` (1 for the first), exactly as many as a step has problems, each as soon as it may be trained on.
   * `policyVersion`: of the weights at hand. Rejects with the signal's reason when aborted; the step may then be asked for again.
   */
  groups(step: number, policyVersion: number, options: SourceOptions): AsyncIterable<AnsweredGroup>;
  /** Groups thrown away and asked again because they were too old, since the last call. */
  takeRequeued(): number;
  position(): SourcePosition;
  /** Ends work under way that no step has asked for. */
  stop(): Promise<void>;
}
