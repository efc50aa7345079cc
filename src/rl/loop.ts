/**
 * Reinforcement learning, step by step: problems → completions → rewards → advantages → updates → new weights at the generators. What a
 * batch is made of and when it is trained on, the schedule says (schedules/); how, the settings.
 */
import { gpuBytes } from '../backend/memory.ts';
import type { RunConfig } from '../config/schema.ts';
import { problemsInStep } from '../config/schema.ts';
import type { Renderer } from '../hub/renderers/index.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import { drawsFor } from '../tasks/random.ts';
import type { PromptStyle } from '../tasks/types.ts';
import { updatedBaseline } from './advantages.ts';
import { partOf, trainingProblem, type AskedTask } from './asking.ts';
import { trainOnBatch, type BatchOutcome } from './batchTrainer.ts';
import { advanced, firstLevels, type CurriculumRules, type LevelState } from './curriculum.ts';
import type { Engine } from './engine.ts';
import { evaluate } from './evaluate.ts';
import { firstFailure } from './failures.ts';
import { lossOptions, type LossOptions } from './lossOptions.ts';
import { measuredRollouts } from './measuredRollouts.ts';
import { stepMetrics } from './metrics/index.ts';
import { rowsOf, type Row } from './rows.ts';
import { learningRateAt } from './schedule.ts';
import {
  createSource,
  type AnsweredGroup,
  type Asked,
  type GroupSource,
  type SourcePosition,
} from './schedules/index.ts';
import { GroupScorer, type ScoredGroup } from './scoredGroups.ts';
import { StepClock } from './stepClock.ts';
import { StreamTrainer } from './streamTrainer.ts';
import { taskShares } from './taskMetrics.ts';
import type { EvalResult, ScoredRollout, StepMetrics } from './types.ts';

/** All that a run carries from one step to the next besides weights and optimizer. */
export interface LoopState {
  readonly step: number;
  readonly baseline: number;
  /** One per task of the run, under a curriculum; else null. */
  readonly curriculum: readonly LevelState[] | null;
  /** Which problems of the stream are asked next. */
  readonly position: SourcePosition;
  /** Tokens of prompts and completions so far. */
  readonly totalTokens: number;
  /** Completions that broke so far. */
  readonly rolloutErrors: number;
}

export interface LoopParts {
  readonly config: RunConfig;
  /** What the run asks, by share. */
  readonly tasks: readonly AskedTask[];
  readonly renderer: Renderer;
  readonly promptStyle: PromptStyle;
  readonly engine: Engine;
  /** A frozen copy of the policy as it is; the reference before it is disposed of. Asked for where KL is measured against a past step. */
  readonly renewReference: () => Promise<LanguageModel>;
  /** Milliseconds; a difference of two values is a duration. */
  readonly now: () => number;
}

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

/** Keeps the order of mini-batches apart from every other draw. */
const SHUFFLE_STREAM = 0x5bf1;

/** What a step has learned from. */
interface Batch {
  readonly groups: readonly ScoredGroup[];
  readonly rows: readonly Row[];
  readonly outcome: BatchOutcome;
}

export class TrainingLoop {
  readonly #parts: LoopParts;
  readonly #source: GroupSource;
  readonly #loss: LossOptions;
  readonly #scorer: GroupScorer;
  readonly #clock: StepClock;
  #state: LoopState;

  constructor(parts: LoopParts, state: LoopState | null = null) {
    const { config, tasks, renderer, engine } = parts;
    this.#parts = parts;
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
    };
    const { temperature, topP, topK, maxTokens } = config;
    this.#source = createSource({
      schedule: config.schedule,
      pool: engine.pool,
      sampling: { temperature, topP, topK, maxTokens, stop: renderer.stopStrings },
      seed: config.seed,
      problems: problemsInStep(config),
      samples: config.rolloutsPerProblem,
      maxStepsOffPolicy: config.maxStepsOffPolicy,
      ask: (index, attempt) => this.#ask(index, attempt),
      position: this.#state.position,
    });
    this.#loss = lossOptions(config);
    this.#scorer = new GroupScorer(tasks, renderer, config.scoring);
    this.#clock = new StepClock(parts.now, () => engine.pool.busySeconds);
  }

  /** As the last whole step has left it: what was sampled since is asked again by a loop that goes on from here. */
  get state(): LoopState {
    return this.#state;
  }

  /** Ends sampling that no step waits for. The loop is of no use afterwards; its state is. */
  stop(): Promise<void> {
    return this.#source.stop();
  }

  /** Accuracy on the held-out set with the current weights. */
  evaluate(options: StepOptions = {}): Promise<EvalResult> {
    const { config, engine, now } = this.#parts;
    return evaluate(
      { ...this.#parts, pool: engine.pool },
      {
        samples: config.evalSamples,
        temperature: config.evalTemperature,
        maxTokens: config.maxTokens,
        seed: config.seed,
        scoring: config.scoring,
      },
      this.#state.step,
      now,
      {
        signal: options.signal,
        onProgress: ({ finished, total, tokens }) =>
          options.onProgress?.({ activity: 'evaluating', done: finished, total, tokens }),
      },
    );
  }

  /** One step. Rejects with the signal's reason when aborted while sampling; the run is then as it was before. */
  async step(options: StepOptions = {}): Promise<{ metrics: StepMetrics; rollouts: ScoredRollout[] }> {
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
    const train = config.schedule === 'stream' ? this.#stream.bind(this) : this.#batch.bind(this);
    const { groups, rows, outcome } = await train(step, learningRate, options);

    options.onProgress?.({ activity: 'handing weights over', done: 0, total: 1, tokens: 0 });
    const versionBefore = engine.version;
    const policyVersion = await this.#clock.time('sync', () => engine.saveWeightsForSampler());
    if (config.klReference === 'past' && step % config.klReferenceEvery === 0)
      engine.reference = await this.#parts.renewReference();

    const rollouts = measuredRollouts(rows, outcome.trained, versionBefore);
    const rewardsPG = groups.map(({ completions }) => completions.map(({ reward }) => reward.total));
    const tokens = rows.reduce(
      (sum, { group, scored }) => sum + group.asked.promptIds.length + scored.completion.tokens.length,
      0,
    );
    const errors = groups.reduce((sum, group) => sum + group.errors, 0);
    const { baseline } = this.#state;
    this.#state = {
      step,
      baseline: updatedBaseline(baseline, rewardsPG, config.movingBaselineDecay),
      curriculum: this.#advanced(rollouts, step),
      position: this.#source.position(),
      totalTokens: this.#state.totalTokens + tokens,
      rolloutErrors: this.#state.rolloutErrors + errors,
    };
    const metrics = stepMetrics(
      {
        step,
        totalSteps: config.numSteps,
        rollouts,
        rewardsPG,
        updates: outcome.updates,
        updatesSkipped: outcome.updatesSkipped,
        learningRate,
        baseline: config.baseline === 'moving' ? baseline : null,
        policyVersion,
        totalTokens: this.#state.totalTokens,
        groupsRequeued: this.#source.takeRequeued(),
        rolloutErrors: this.#state.rolloutErrors,
        generators: engine.pool.size,
        times: this.#clock.end(),
        memoryBytes: gpuBytes(),
        handedOverBytes: engine.pool.handedOverBytes,
        maxTokens: config.maxTokens,
        clip: this.#loss.clip,
      },
      taskShares(tasks, rollouts, levels),
    );
    return { metrics, rollouts };
  }

  /** A problem of the run's stream, as it is asked now. */
  #ask(index: number, attempt: number): Asked {
    const { config, tasks, renderer, promptStyle } = this.#parts;
    const levels = this.#state.curriculum?.map(({ level }) => level) ?? null;
    const { problem, part } = trainingProblem(tasks, levels, config.seed, index);
    const messages = partOf(tasks, part).task.messages(problem, promptStyle);
    return {
      index,
      attempt,
      problem,
      part,
      question: messages.at(-1)?.content ?? '',
      promptIds: renderer.promptIds(messages),
    };
  }

  /** Waiting for groups is the time of sampling, however it overlaps with training. */
  #groups(step: number, { signal, onProgress }: StepOptions): AsyncIterable<AnsweredGroup> {
    const source = this.#source.groups(step, this.#parts.engine.version, {
      signal,
      onProgress: ({ finished, total, tokens }) =>
        onProgress?.({ activity: 'sampling', done: finished, total, tokens }),
    });
    return this.#clock.waiting(source, 'rollout');
  }

  /** Scores groups; those without any completion are left out. */
  async #scored(groups: readonly AnsweredGroup[]): Promise<ScoredGroup[]> {
    const scored = await this.#clock.time('reward', () => this.#scorer.score(groups));
    return scored.filter(({ completions }) => completions.length > 0);
  }

  /** The whole batch first, then its updates. */
  async #batch(step: number, learningRate: number, options: StepOptions): Promise<Batch> {
    const { config, engine } = this.#parts;
    const answered: AnsweredGroup[] = [];
    for await (const group of this.#groups(step, options)) answered.push(group);
    const groups = await this.#scored(answered);
    if (groups.length === 0)
      throw new Error(`No answer could be sampled: ${firstFailure(answered.map(({ result }) => result))}`);
    return this.#clock.time('train', async () => {
      const onProgress = trainingProgress(groups, config, options);
      const rows = await rowsOf(groups, this.#state.baseline, config, engine, onProgress);
      const outcome = await trainOnBatch(
        rows.flatMap(({ sequence }) => sequence ?? []),
        {
          engine,
          loss: this.#loss,
          plan: config,
          learningRate,
          targetKl: config.targetKl,
          measurePost: config.computePostKl,
          draw: drawsFor(config.seed, SHUFFLE_STREAM, step),
          onProgress,
        },
      );
      return { groups, rows, outcome };
    });
  }

  /** Trains on parts of the batch as they come in. */
  async #stream(step: number, learningRate: number, options: StepOptions): Promise<Batch> {
    const { config, engine } = this.#parts;
    const perPart = problemsInStep(config) / (config.numSubsteps * config.numMinibatches);
    const trainer = new StreamTrainer({
      engine,
      loss: this.#loss,
      learningRate,
      partsPerUpdate: config.numMinibatches,
      onProgress: () => undefined,
    });
    const batch: { groups: ScoredGroup[]; rows: Row[]; trained: BatchOutcome['trained'] } = {
      groups: [],
      rows: [],
      trained: [],
    };
    const failed: AnsweredGroup[] = [];
    let waiting: AnsweredGroup[] = [];
    let parts = 0;
    // Broken off behind its first update, the weights would be of no step: from there on a step goes on to its end.
    const stop = new AbortController();
    let updated = false;
    const abort = (): void => {
      if (!updated) stop.abort(options.signal?.reason);
    };
    if (options.signal?.aborted) abort();
    options.signal?.addEventListener('abort', abort, { once: true });
    try {
      for await (const group of this.#groups(step, { ...options, signal: stop.signal })) {
        waiting.push(group);
        if (waiting.length < perPart) continue;
        const groups = await this.#scored(waiting);
        if (groups.length === 0) failed.push(...waiting);
        waiting = [];
        const rows = await this.#clock.time('train', async () => {
          const made = await rowsOf(groups, this.#state.baseline, config, engine, () => undefined);
          batch.trained.push(...(await trainer.add(made.flatMap(({ sequence }) => sequence ?? []))));
          if (++parts % config.numMinibatches === 0) {
            stop.signal.throwIfAborted();
            updated = true;
            await trainer.update();
          }
          return made;
        });
        batch.groups.push(...groups);
        batch.rows.push(...rows);
      }
    } catch (error) {
      engine.clearGradients();
      throw error;
    } finally {
      options.signal?.removeEventListener('abort', abort);
    }
    if (batch.groups.length === 0)
      throw new Error(`No answer could be sampled: ${firstFailure(failed.map(({ result }) => result))}`);
    const { groups, rows, trained } = batch;
    return { groups, rows, outcome: { updates: trainer.updates, updatesSkipped: 0, trained } };
  }

  /** The levels after the answers of `step`. */
  #advanced(rollouts: readonly ScoredRollout[], step: number): LevelState[] | null {
    const { config, tasks } = this.#parts;
    const rules: CurriculumRules = {
      raise: config.curriculumRaise,
      lower: config.curriculumLower,
      window: config.curriculumWindow,
      every: config.curriculumEvery,
    };
    const answers = (part: number): boolean[] =>
      rollouts.filter((rollout) => rollout.part === part).map(({ reward }) => reward.correct);
    return (
      this.#state.curriculum?.map((state, part) =>
        advanced(state, answers(part), step, partOf(tasks, part).task.levels.length, rules),
      ) ?? null
    );
  }
}

/** Reports tokens done of those that all passes over the batch will take. */
function trainingProgress(
  groups: readonly ScoredGroup[],
  { ppoEpochs, computePostKl }: RunConfig,
  { onProgress }: StepOptions,
): (tokens: number) => void {
  const once = groups.reduce(
    (sum, { asked, completions }) =>
      sum +
      completions.reduce((all, { completion }) => all + asked.promptIds.length + completion.tokens.length, 0),
    0,
  );
  const total = once * (1 + ppoEpochs + (computePostKl ? 1 : 0));
  let done = 0;
  const report = (tokens: number): void => {
    done = Math.min(total, done + tokens);
    onProgress?.({ activity: 'training', done, total, tokens: done });
  };
  report(0);
  return report;
}
