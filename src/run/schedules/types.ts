/** The source of a step's groups, whatever the schedule. */
import type { GenerateOptions, SamplingSettings } from '@rl-playground/engine/parts';
import type { Engine } from '@rl-playground/engine/parts/tensors';
import type { Place, Prompt, RolloutGroup } from '../rollouts/rollout.ts';

export type SourceOptions = Pick<GenerateOptions, 'signal' | 'onProgress'>;

/** The index of the first problem of the stream that was never asked, and those to be asked again: what a checkpoint keeps. */
export interface SourcePosition {
  readonly next: number;
  readonly again: readonly Place[];
}

/** Groups whose answers were thrown away, their problems being asked again. */
export interface AskedAgain {
  /** The number of groups answered by weights that were too old. */
  readonly stale: number;
  /** The number of groups of which no answer could be sampled. */
  readonly broken: number;
}

/** The parts from which `createSource` makes a source. */
export interface SourceParts {
  readonly schedule: 'sync' | 'stream' | 'async';
  readonly engine: Pick<Engine, 'sample' | 'places'>;
  readonly sampling: SamplingSettings;
  readonly seed: number;
  /** Problems of a step, and answers to each. */
  readonly problems: number;
  readonly samples: number;
  /** Only the asynchronous schedule reads this. */
  readonly maxStepsOffPolicy: number;
  readonly promptAt: (place: Place) => Prompt;
  readonly position: SourcePosition;
}

/** The sampling side of a schedule. */
export interface GroupSource {
  /**
   * The groups of step `step` (1 for the first), exactly as many as a step has problems, each as soon as it may be trained on.
   * `policyVersion`: the version of the current weights. Rejects with the signal's reason when aborted; the step may then be asked for again.
   */
  groups(step: number, policyVersion: number, options: SourceOptions): AsyncIterable<RolloutGroup>;
  /** Returns the numbers of groups whose problems were asked again since the last call. */
  takeAskedAgain(): AskedAgain;
  position(): SourcePosition;
  /** Ends work under way that no step has asked for. */
  stop(): Promise<void>;
}
