/**
 * Reinforcement learning, step by step: problems → completions → rewards → advantages → updates → new weights at the generators. What a
 * batch is made of and when it is trained on, the schedule says (schedules/); how, the settings.
 */
import { breathe, updatedBaseline, type LossOptions } from '@rl-playground/engine/parts';
import { type Engine, gpuBytes, undoneOnFailure } from '@rl-playground/engine/parts/tensors';
import { drawsFor } from '@rl-playground/base/random';
import { type RunConfig, problemsInStep } from '../settings/schema/schema.ts';
import { lossOptions } from './lossOptions.ts';
import { stepMetrics, type StepMetrics } from '../metrics/metrics.ts';
import { taskShares } from '../metrics/reward.ts';
import { createSource } from '../schedules/schedule.ts';
import type { GroupSource, SourcePosition } from '../schedules/types.ts';
import { learningRateAt } from './learningRate.ts';
import { advanced, askedLevel, firstLevels, type LevelState } from './curriculum.ts';
import { PREFLIGHT, samplePreflight, type PreflightSample, type PreflightSize } from './preflight.ts';
import {
  evaluate,
  greedyAnswer,
  type EvalResult,
  type EvalSample,
  type EvaluationSettings,
  type EvaluationSubject,
} from './evaluate.ts';
import { learnFromBatch, learnFromStream, progressOf, StepClock, type StepOptions } from './learn.ts';
import {
  countedGroups,
  trainingSampling,
  type Place,
  type Prompt,
  type Rollout,
} from '../rollouts/rollout.ts';
import { withLeftOut } from './rollouts.ts';
import { rewardedTasks } from './rewarded.ts';
import { GroupScorer } from './scoring.ts';
import { evaluationMix, leavesOut, taskAt, trainingProblem } from './taskMix.ts';

/** Keeps the choice of a level apart from every other draw. */
const REVIEW_STREAM = 0x4e71;

/** All that a run carries from one step to the next besides weights and optimizer. */
export interface LoopState {
  readonly step: number;
  readonly baseline: number;
  /** One entry per task of the run, under a curriculum; else null. */
  readonly curriculum: readonly LevelState[] | null;
  /** The place in the stream of problems. */
  readonly position: SourcePosition;
  /** Tokens of prompts and completions so far. */
  readonly totalTokens: number;
  /** Completions that broke so far. */
  readonly rolloutErrors: number;
  /** Groups that steps went on without so far, every completion having broken. */
  readonly groupsSkipped: number;
}

export interface LoopParts extends EvaluationSubject {
  readonly config: RunConfig;
  readonly engine: Engine;
}

export class TrainingLoop {
  readonly #parts: LoopParts;
  readonly #source: GroupSource;
  readonly #loss: LossOptions;
  readonly #scorer: GroupScorer;
  readonly #clock: StepClock;
  #state: LoopState;

  constructor(parts: LoopParts, state: LoopState | null = null) {
    const { config, renderer, engine } = parts;
    const tasks = rewardedTasks(parts.tasks, config);
    this.#parts = { ...parts, tasks };
    this.#state = state ?? {
      step: 0,
      baseline: config.movingBaselineStart,
      curriculum:
        config.curriculum === 'off'
          ? null
          : firstLevels(
              tasks.map(({ task }) => task.levels.length),
              config.curriculumStart,
            ),
      position: { next: 0, again: [] },
      totalTokens: 0,
      rolloutErrors: 0,
      groupsSkipped: 0,
    };
    this.#source = createSource({
      schedule: config.schedule,
      engine,
      sampling: trainingSampling(config, renderer.stopStrings),
      seed: config.seed,
      problems: problemsInStep(config),
      samples: config.rolloutsPerProblem,
      maxStepsOffPolicy: config.maxStepsOffPolicy,
      promptAt: (place) => this.#promptAt(place),
      position: this.#state.position,
    });
    this.#loss = lossOptions(config);
    this.#scorer = new GroupScorer(tasks, renderer, config.scoring);
    this.#clock = new StepClock(parts.now, () => engine.busySeconds);
  }

  /** The state that the last whole step has left: answers sampled since are asked for again by a loop that goes on from here. */
  get state(): LoopState {
    return this.#state;
  }

  /** Ends sampling that no step waits for. The loop is of no use afterwards; its state is. */
  stop(): Promise<void> {
    return this.#source.stop();
  }

  /** The held-out set with the current weights. */
  evaluate(options: StepOptions = {}): Promise<EvalResult> {
    const settings = this.#evaluation;
    return evaluate(
      { ...this.#parts, tasks: this.#evaluated },
      options.passAtK === false ? { ...settings, passAtK: 0 } : settings,
      this.#state.step,
      {
        signal: options.signal,
        patience: options.patience,
        onProgress: progressOf('evaluating', options),
        onSamples: options.onSamples,
      },
    );
  }

  /** The greedy answer to one problem of the evaluation; null where there is none at that place. It changes nothing of the run. */
  greedyAnswer(place: number, signal: AbortSignal): Promise<EvalSample | null> {
    const subject = { ...this.#parts, tasks: this.#evaluated };
    return greedyAnswer(subject, this.#evaluation, place, signal);
  }

  get #evaluated(): LoopParts['tasks'] {
    const { config } = this.#parts;
    return rewardedTasks(evaluationMix(config), config);
  }

  get #evaluation(): EvaluationSettings {
    const { evalSamples, evalTemperature, passAtK, levelSamples, maxTokens, seed, scoring } =
      this.#parts.config;
    return {
      samples: evalSamples,
      temperature: evalTemperature,
      passAtK,
      levelSamples,
      maxTokens,
      seed,
      scoring,
    };
  }

  /** Answers to some of the first problems, which change nothing of the run. */
  preflight(options: StepOptions = {}, size: PreflightSize = PREFLIGHT): Promise<PreflightSample> {
    return samplePreflight(this.#parts, this.#state.curriculum?.map(({ level }) => level) ?? null, size, {
      signal: options.signal,
      onProgress: progressOf('sampling', options),
    });
  }

  /**
   * One step. Rejects with the signal's reason when aborted while sampling. However it fails, the run is then as it was before, but for
   * `WeightsAstray`.
   */
  step(options: StepOptions = {}): Promise<{ metrics: StepMetrics; rollouts: readonly Rollout[] }> {
    return undoneOnFailure(this.#parts.engine, () => this.#step(options));
  }

  async #step(options: StepOptions): Promise<{ metrics: StepMetrics; rollouts: readonly Rollout[] }> {
    const { config, engine, tasks } = this.#parts;
    const step = this.#state.step + 1;
    const levels = this.#state.curriculum?.map(({ level }) => level) ?? null;
    const learningRate = learningRateAt(step, {
      peak: config.learningRate,
      kind: config.lrSchedule,
      warmupSteps: config.warmupSteps,
      totalSteps: config.numSteps,
    });
    this.#clock.begin();
    const learn = config.schedule === 'stream' ? learnFromStream : learnFromBatch;
    const { groups, rollouts, updates, updatesSkipped, explainedVariance } = await learn({
      config,
      engine,
      loss: this.#loss,
      scorer: this.#scorer,
      clock: this.#clock,
      step,
      learningRate,
      baseline: this.#state.baseline,
      groups: (source) => this.#source.groups(step, engine.version, source),
      options,
    });

    options.onProgress?.({ activity: 'handing weights over', done: 0, total: 1, tokens: 0 });
    const policyVersion = await this.#clock.time('sync', () => engine.saveWeightsForSampler());
    if (config.klReference === 'past' && step % config.klReferenceEvery === 0)
      await engine.renewReference(config.klReferenceMixup);
    // The page draws what was said last in a task of its own.
    await breathe();

    const rewardsPG = countedGroups(groups).map((group) => group.rollouts.map(({ reward }) => reward.total));
    const answered = withLeftOut(rollouts, groups);
    const tokens = answered.reduce(
      (sum, rollout) => sum + rollout.promptIds.length + rollout.tokens.length,
      0,
    );
    const { stale, broken } = this.#source.takeAskedAgain();
    const skipped = problemsInStep(config) - groups.length;
    const errors = groups.reduce(
      (sum, group) => sum + group.result.completions.length - group.rollouts.length,
      (skipped + broken) * config.rolloutsPerProblem,
    );
    const { baseline } = this.#state;
    this.#state = {
      step,
      baseline: updatedBaseline(baseline, rewardsPG, config.movingBaselineDecay),
      curriculum: this.#advanced(rollouts, step),
      position: this.#source.position(),
      totalTokens: this.#state.totalTokens + tokens,
      rolloutErrors: this.#state.rolloutErrors + errors,
      groupsSkipped: this.#state.groupsSkipped + skipped,
    };
    const metrics = stepMetrics(
      {
        step,
        totalSteps: config.numSteps,
        rollouts,
        rewardsPG,
        updates,
        updatesSkipped,
        explainedVariance,
        learningRate,
        baseline: config.baseline === 'moving' ? baseline : null,
        policyVersion,
        totalTokens: this.#state.totalTokens,
        groupsRequeued: stale,
        rolloutErrors: this.#state.rolloutErrors,
        groupsSkipped: this.#state.groupsSkipped,
        leftOut: config.rewardModel !== '' || leavesOut(tasks) ? answered.length - rollouts.length : null,
        generators: engine.generators,
        times: this.#clock.end(),
        memoryBytes: gpuBytes(),
        handedOverBytes: engine.handedOverBytes,
        clip: this.#loss.clip,
      },
      taskShares(tasks, rollouts, levels),
    );
    return { metrics, rollouts: answered };
  }

  /** The level of each task at which a problem is asked that was not asked before; null without a curriculum. */
  #levelsAt(index: number): number[] | null {
    const { seed, curriculumReview } = this.#parts.config;
    return (
      this.#state.curriculum?.map(({ level }) =>
        askedLevel(level, curriculumReview, drawsFor(seed, REVIEW_STREAM, index)),
      ) ?? null
    );
  }

  /** A problem of the run's stream, at the level at which it was first asked, if it was. */
  #promptAt({ index, attempt, level }: Place): Prompt {
    const { config, tasks, renderer, promptStyle } = this.#parts;
    const levels = level === null ? this.#levelsAt(index) : tasks.map(() => level);
    const { problem, taskIndex } = trainingProblem(tasks, levels, config.seed, index);
    const messages = taskAt(tasks, taskIndex).task.messages(problem, promptStyle);
    return {
      index,
      attempt,
      level: levels?.[taskIndex] ?? null,
      problem,
      taskIndex,
      question: messages.at(-1)?.content ?? '',
      promptIds: renderer.promptIds(messages),
    };
  }

  /** The levels after the answers of `step`. */
  #advanced(rollouts: readonly Rollout[], step: number): LevelState[] | null {
    const { config, tasks } = this.#parts;
    const answers = (taskIndex: number, level: number): boolean[] =>
      rollouts
        .filter((rollout) => rollout.taskIndex === taskIndex && rollout.level === level)
        .map(({ reward }) => reward.correct);
    return (
      this.#state.curriculum?.map((state, taskIndex) =>
        advanced(
          state,
          answers(taskIndex, state.level),
          step,
          taskAt(tasks, taskIndex).task.levels.length,
          config,
        ),
      ) ?? null
    );
  }
}
