/**
 * Learning from a step's answers, the whole batch first and then its updates, or parts of it as they come in; and the clock that says where the
 * time of a step goes.
 */
import { type RunConfig, problemsInStep } from '../settings/schema/schema.ts';
import { drawsFor } from '@rl-playground/base/random';
import { untilAborted } from '@rl-playground/base/untilAborted';
import {
  type LossOptions,
  trainOnBatch,
  type BatchOutcome,
  StreamTrainer,
  type SamplingProgress,
} from '@rl-playground/engine/parts';
import type { Engine } from '@rl-playground/engine/parts/tensors';
import type { StepTimes } from '../metrics/context.ts';
import type { EvaluationOptions } from './evaluate.ts';
import type { SourceOptions } from '../schedules/types.ts';
import { withAdvantages, withTrained } from './rollouts.ts';
import {
  countedGroups,
  firstFailure,
  isBroken,
  type Rollout,
  type RolloutGroup,
} from '../rollouts/rollout.ts';
import { referenceShare } from './referenceSample.ts';
import { type GroupScorer, ProgramFailing } from './scoring.ts';

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
  /** Receives a few of the newest answers of an evaluation under way. */
  readonly onSamples?: EvaluationOptions['onSamples'];
  /** Milliseconds without a word from a generator after which an evaluation is given up; else the generators' own deadline holds. */
  readonly patience?: number;
  /** False leaves out an evaluation's draws for pass@k. */
  readonly passAtK?: boolean;
}

/** Passes the progress of sampling on, as that of an activity. */
export const progressOf =
  (activity: LoopActivity, { onProgress }: StepOptions) =>
  ({ finished, total, tokens }: SamplingProgress): void =>
    onProgress?.({ activity, done: finished, total, tokens });

/** The parts that learning from a step's answers needs, whatever the schedule. */
export interface StepLearning {
  readonly config: RunConfig;
  readonly engine: Engine;
  readonly loss: LossOptions;
  readonly scorer: GroupScorer;
  readonly clock: StepClock;
  /** 1 for the first. */
  readonly step: number;
  readonly learningRate: number;
  /** The moving mean of rewards before this step. */
  readonly baseline: number;
  /** The step's groups, each as soon as it may be trained on. */
  readonly groups: (options: SourceOptions) => AsyncIterable<RolloutGroup>;
  readonly options: StepOptions;
}

/** The outcome of a step: its groups that hold an answer, all of their rollouts that count, and the updates. */
export interface LearnedStep extends Pick<BatchOutcome, 'updates' | 'updatesSkipped'> {
  readonly groups: readonly RolloutGroup[];
  readonly rollouts: readonly Rollout[];
  /** The explained variance of the returns, by a value head as it was before the updates; null without one. */
  readonly explainedVariance: number | null;
}

/** Keeps the order of mini-batches apart from every other draw. */
const SHUFFLE_STREAM = 0x5bf1;
/** Keeps the choice of the answers that are compared with the reference apart from every other draw. */
const REFERENCE_STREAM = 0x4ef5;

/** The synchronous and the asynchronous schedule. Throws where no answer could be sampled. */
export async function learnFromBatch(parts: StepLearning): Promise<LearnedStep> {
  const { config, engine, loss, clock, step, learningRate, baseline, options } = parts;
  const sampled: RolloutGroup[] = [];
  for await (const group of timedGroups(parts, options.signal)) sampled.push(group);
  const groups = await scored(parts, sampled);
  if (groups.length === 0) throw nothingSampled(sampled);
  const counted = countedGroups(groups);
  if (counted.length === 0) throw nothingCounted(groups);
  return clock.time('train', async () => {
    const onProgress = trainingProgress(counted, config, options);
    const measuring = drawsFor(config.seed, REFERENCE_STREAM, step);
    const compared = await withAdvantages(counted, baseline, config, engine, measuring, onProgress);
    const { updates, updatesSkipped, trained } = await trainOnBatch(
      compared.sequences.flatMap((sequence) => sequence ?? []),
      {
        engine,
        loss,
        plan: config,
        learningRate,
        targetKl: config.targetKl,
        measurePost: config.computePostKl,
        draw: drawsFor(config.seed, SHUFFLE_STREAM, step),
        onProgress,
      },
    );
    const { explainedVariance } = compared;
    return { groups, rollouts: withTrained(compared, trained), updates, updatesSkipped, explainedVariance };
  });
}

/** The streaming schedule. Throws where no answer could be sampled. */
export async function learnFromStream(parts: StepLearning): Promise<LearnedStep> {
  const { config, engine, loss, clock, step, learningRate, baseline, options } = parts;
  const { numSubsteps, numMinibatches } = config;
  const perPart = problemsInStep(config) / (numSubsteps * numMinibatches);
  const trainer = new StreamTrainer({ engine, loss, learningRate, partsPerUpdate: numMinibatches });
  const measuring = drawsFor(config.seed, REFERENCE_STREAM, step);
  const [groups, failed]: [RolloutGroup[], RolloutGroup[]] = [[], []];
  const rollouts: Rollout[] = [];
  let waiting: RolloutGroup[] = [];
  let added = 0;
  const stop = abortUntilMoved(options.signal);
  try {
    for await (const group of timedGroups(parts, stop.signal)) {
      waiting.push(group);
      if (waiting.length < perPart) continue;
      const part = await scored(parts, waiting, groups.length);
      if (part.length === 0) failed.push(...waiting);
      waiting = [];
      await clock.time('train', async () => {
        const compared = await withAdvantages(countedGroups(part), baseline, config, engine, measuring);
        const trained = await trainer.add(compared.sequences.flatMap((sequence) => sequence ?? []));
        groups.push(...part);
        rollouts.push(...withTrained(compared, trained));
        if (++added % numMinibatches > 0) return;
        stop.signal.throwIfAborted();
        stop.moved();
        await trainer.update();
      });
    }
  } catch (error) {
    engine.clearGradients();
    throw error;
  } finally {
    stop.end();
  }
  if (groups.length === 0) throw nothingSampled(failed);
  if (rollouts.length === 0) throw nothingCounted(groups);
  return { groups, rollouts, updates: trainer.updates, updatesSkipped: 0, explainedVariance: null };
}

/** Waiting for groups is the time of sampling, however it overlaps with training. */
function timedGroups(
  { groups, clock, options }: StepLearning,
  signal: AbortSignal | undefined,
): AsyncIterable<RolloutGroup> {
  return clock.waiting(groups({ signal, onProgress: progressOf('sampling', options) }), 'rollout');
}

/** Scores groups, the first of which is number `first` of the step; those without any answer are left out. */
async function scored(
  { config, engine, scorer, clock, options }: StepLearning,
  groups: readonly RolloutGroup[],
  first = 0,
): Promise<RolloutGroup[]> {
  const whole = groups.filter(({ result }) => !isBroken(result));
  const work = (): Promise<RolloutGroup[]> => scorer.score(whole, first, engine.version);
  // A reward model may take minutes, and nobody who stops waits for it.
  const signal = config.rewardModel === '' ? undefined : options.signal;
  return clock.time('reward', () => untilAborted(work(), signal));
}

/** The error of a step whose answers are all left out, because a program failed for each. */
function nothingCounted(groups: readonly RolloutGroup[]): Error {
  const answers = groups.flatMap(({ rollouts }) => rollouts);
  return new ProgramFailing(answers.length, answers.at(-1)?.reward);
}

/** The error of a step that has nothing to learn from. */
function nothingSampled(groups: readonly RolloutGroup[]): Error {
  return new Error(`No answer could be sampled: ${firstFailure(groups.map(({ result }) => result))}`);
}

/** Reports tokens done of those that all passes over the batch will take. */
function trainingProgress(
  groups: readonly RolloutGroup[],
  config: RunConfig,
  { onProgress }: StepOptions,
): (tokens: number) => void {
  const answers = groups.flatMap(({ rollouts }) => rollouts);
  const once = answers.reduce((sum, { promptIds, tokens }) => sum + promptIds.length + tokens.length, 0);
  const passes =
    referenceShare(config, answers.length) +
    (config.baseline === 'value' ? 1 : 0) +
    config.ppoEpochs +
    (config.computePostKl ? 1 : 0);
  const total = Math.ceil(once * passes);
  let done = 0;
  const report = (tokens: number): void => {
    done = Math.min(total, done + tokens);
    onProgress?.({ activity: 'training', done, total, tokens: done });
  };
  report(0);
  return report;
}

/** Broken off behind its first update, the weights would be of no step: from there on a step goes on to its end. */
function abortUntilMoved(wanted: AbortSignal | undefined) {
  const stop = new AbortController();
  const abort = (): void => stop.abort(wanted?.reason);
  const end = (): void => wanted?.removeEventListener('abort', abort);
  if (wanted?.aborted) abort();
  wanted?.addEventListener('abort', abort, { once: true });
  return { signal: stop.signal, moved: end, end };
}

type Stage = 'rollout' | 'reward' | 'train' | 'sync';

/** The division of a step's time. The clock is given, in milliseconds. */
export class StepClock {
  readonly #now: () => number;
  readonly #generatorsBusy: () => number;
  #began: number;
  /** The generators' time at the beginning of the step: their work between two steps, such as an evaluation, is in neither. */
  #generatorsBefore: number;
  #stages: Record<Stage, number> = { rollout: 0, reward: 0, train: 0, sync: 0 };

  /** `generatorsBusy`: seconds that generators have worked so far, summed over them. */
  constructor(now: () => number, generatorsBusy: () => number) {
    this.#now = now;
    this.#generatorsBusy = generatorsBusy;
    this.#began = now();
    this.#generatorsBefore = generatorsBusy();
  }

  begin(): void {
    this.#began = this.#now();
    this.#generatorsBefore = this.#generatorsBusy();
    this.#stages = { rollout: 0, reward: 0, train: 0, sync: 0 };
  }

  async time<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    const began = this.#now();
    try {
      return await work();
    } finally {
      this.#stages[stage] += this.#now() - began;
    }
  }

  /** Yields the same items; the time of waiting for the next one counts as `stage`. */
  async *waiting<T>(items: AsyncIterable<T>, stage: Stage): AsyncGenerator<T> {
    const iterator = items[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.time(stage, () => iterator.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  end(): StepTimes {
    const { rollout, reward, train, sync } = this.#stages;
    const seconds = (milliseconds: number): number => milliseconds / 1000;
    return {
      total: seconds(this.#now() - this.#began),
      rollout: seconds(rollout),
      reward: seconds(reward),
      train: seconds(train),
      sync: seconds(sync),
      trainerBusy: seconds(reward + train + sync),
      generatorsBusy: this.#generatorsBusy() - this.#generatorsBefore,
    };
  }
}
