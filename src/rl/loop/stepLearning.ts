/** What learning from a step's answers needs and gives, whatever the schedule. */
import type { RunConfig } from '../../config/schema.ts';
import type { BatchOutcome } from '../update/batchTrainer.ts';
import type { Engine } from '../engine/engine.ts';
import type { LossOptions } from '../loss/lossOptions.ts';
import type { Row } from './rows.ts';
import type { AnsweredGroup, SourceOptions } from '../schedules/index.ts';
import type { GroupScorer, ScoredGroup } from './scoredGroups.ts';
import type { StepClock } from './stepClock.ts';

export type LoopActivity = 'sampling' | 'training' | 'handing weights over' | 'evaluating';

export interface LoopProgress {
  readonly activity: LoopActivity;
  readonly done: number;
  readonly total: number;
  /** Tokens sampled or trained on in this activity so far. */
  readonly tokens: number;
}

export interface StepOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LoopProgress) => void;
}

export interface StepLearning {
  readonly config: RunConfig;
  readonly engine: Engine;
  readonly loss: LossOptions;
  readonly scorer: GroupScorer;
  readonly clock: StepClock;
  /** 1 for the first. */
  readonly step: number;
  readonly learningRate: number;
  /** Of rewards, before this step. */
  readonly baseline: number;
  /** The step's groups, each as soon as it may be trained on. */
  readonly answers: (options: SourceOptions) => AsyncIterable<AnsweredGroup>;
  readonly options: StepOptions;
}

/** What a step has learned from. */
export interface Batch {
  readonly groups: readonly ScoredGroup[];
  readonly rows: readonly Row[];
  readonly outcome: BatchOutcome;
}

/** Waiting for groups is the time of sampling, however it overlaps with training. */
export function timedAnswers(
  { answers, clock, options: { onProgress } }: StepLearning,
  signal: AbortSignal | undefined,
): AsyncIterable<AnsweredGroup> {
  const source = answers({
    signal,
    onProgress: ({ finished, total, tokens }) =>
      onProgress?.({ activity: 'sampling', done: finished, total, tokens }),
  });
  return clock.waiting(source, 'rollout');
}

/** Scores groups; those without any completion are left out. */
export async function scoredAnswers(
  { scorer, clock }: StepLearning,
  groups: readonly AnsweredGroup[],
): Promise<ScoredGroup[]> {
  const scored = await clock.time('reward', () => scorer.score(groups));
  return scored.filter(({ completions }) => completions.length > 0);
}
