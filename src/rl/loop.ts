/**
 * One run of reinforcement learning, synchronous: every step samples with the newest weights, scores, updates once and
 * hands the new weights back. REINFORCE or GRPO by the config. Left out of GRPO as published: several updates per batch.
 */
import type { RunConfig } from '../config/schema.ts';
import { problemsInStep } from '../config/schema.ts';
import type { Renderer } from '../hub/renderers/index.ts';
import type { Breathe, LanguageModel } from '../model/languageModel.ts';
import type { GeneratorPool, GroupRequest, GroupResult } from '../rollout/types.ts';
import type { Problem, PromptStyle } from '../tasks/types.ts';
import {
  baselineAdvantages,
  fractionMixed,
  groupAdvantages,
  standardDeviation,
  updatedBaseline,
} from './advantages.ts';
import { partOf, trainingProblem, type AskedTask } from './asking.ts';
import { packMicrobatches } from './batch.ts';
import { advanced, type CurriculumRules, type LevelState } from './curriculum.ts';
import { evaluate } from './evaluate.ts';
import { lossOf } from './losses.ts';
import type { Optimizer } from './optimizer.ts';
import { learningRateAt } from './schedule.ts';
import { programFailures, rewardsOf } from './scoring.ts';
import { trainStep } from './trainer.ts';
import { completed, firstFailure } from './failures.ts';
import { taskShares } from './taskMetrics.ts';
import type { EvalResult, ScoredRollout, StepMetrics } from './types.ts';

/** All that a run carries from one step to the next besides weights and optimizer. */
export interface LoopState {
  readonly step: number;
  readonly policyVersion: number;
  readonly baseline: number;
  /** One per task of the run, under a curriculum; else null. */
  readonly curriculum: readonly LevelState[] | null;
}

export interface LoopParts {
  readonly config: RunConfig;
  /** What the run asks, by share. */
  readonly tasks: readonly AskedTask[];
  readonly renderer: Renderer;
  readonly promptStyle: PromptStyle;
  readonly policy: LanguageModel;
  /** The policy at the start of reinforcement, never changed. */
  readonly reference: LanguageModel;
  readonly optimizer: Optimizer;
  readonly pool: GeneratorPool;
  /** Milliseconds; a difference of two values is a duration. */
  readonly now: () => number;
  readonly breathe: Breathe;
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

/** One problem of a step and how it is put to the model. */
interface Prompt {
  readonly problem: Problem;
  /** Index of its task among those of the run. */
  readonly part: number;
  readonly question: string;
  readonly promptIds: readonly number[];
}

function firstLevels({ config, tasks }: LoopParts): LevelState[] | null {
  if (config.curriculum === 'off') return null;
  return tasks.map(({ task }) => ({
    level: Math.min(config.curriculumStart, task.levels.length) - 1,
    recent: [],
  }));
}

export class TrainingLoop {
  readonly #parts: LoopParts;
  #state: LoopState;
  #programFailures = 0;

  constructor(parts: LoopParts, state: LoopState | null = null) {
    this.#parts = parts;
    this.#state = state ?? {
      step: 0,
      policyVersion: 0,
      baseline: parts.config.movingBaselineStart,
      curriculum: firstLevels(parts),
    };
  }

  get state(): LoopState {
    return this.#state;
  }

  /** Hands the policy's weights to the generators under the current version. Call once before the first step. */
  async syncWeights(): Promise<void> {
    const { policy, pool } = this.#parts;
    await pool.setWeights(this.#state.policyVersion, await policy.weights.pack());
  }

  /** Accuracy on the held-out set with the current weights. */
  evaluate(options: StepOptions = {}): Promise<EvalResult> {
    const { config, now } = this.#parts;
    return evaluate(
      this.#parts,
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

  /** Problems → rollouts → rewards → advantages → one update → new weights at the generators. */
  async step(options: StepOptions = {}): Promise<{ metrics: StepMetrics; rollouts: ScoredRollout[] }> {
    const { config, now, pool, policy } = this.#parts;
    const step = this.#state.step + 1;
    const began = now();
    const levels = this.#state.curriculum?.map(({ level }) => level) ?? null;

    const prompts = this.#prompts(step, levels);
    const groups = await this.#sample(prompts, step, options);
    const sampled = now();

    const { rollouts, rewardsPG } = await this.#score(prompts, groups);
    const microbatches = packMicrobatches(
      rollouts.map((rollout) => ({ ...rollout, samplerLogprobs: rollout.logprobs })),
      config.lossReduction,
      config.microBatchTokens,
    );
    const learningRate = learningRateAt(step, {
      peak: config.learningRate,
      kind: config.lrSchedule,
      warmupSteps: config.warmupSteps,
      totalSteps: config.numSteps,
    });
    const statistics = await this.#train(microbatches, learningRate, options);
    const trained = now();

    options.onProgress?.({ activity: 'handing weights over', done: 0, total: 1, tokens: 0 });
    const baseline = this.#state.baseline;
    this.#state = {
      step,
      policyVersion: this.#state.policyVersion + 1,
      baseline: updatedBaseline(baseline, rewardsPG, config.movingBaselineDecay),
      curriculum: this.#advanced(rollouts, step),
    };
    await pool.setWeights(this.#state.policyVersion, await policy.weights.pack());
    const ended = now();

    const rewards = rewardsPG.flat();
    const completionTokens = rollouts.reduce((sum, rollout) => sum + rollout.tokens.length, 0);
    const share = (test: (rollout: ScoredRollout) => boolean): number =>
      rollouts.filter(test).length / rollouts.length;
    const metrics: StepMetrics = {
      step,
      reward: rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length,
      rewardStd: standardDeviation(rewards),
      accuracy: share((rollout) => rollout.reward.correct),
      format: share((rollout) => rollout.reward.format),
      tasks: taskShares(this.#parts.tasks, rollouts, levels),
      ...statistics,
      learningRate,
      fracMixed: fractionMixed(rewardsPG),
      completionTokens,
      meanLength: completionTokens / rollouts.length,
      truncated: share((rollout) => rollout.stopReason === 'max_tokens'),
      baseline: config.baseline === 'moving' ? baseline : null,
      policyVersion: this.#state.policyVersion,
      seconds: (ended - began) / 1000,
      secondsRollout: (sampled - began) / 1000,
      secondsTrain: (trained - sampled) / 1000,
      secondsSync: (ended - trained) / 1000,
    };
    return { metrics, rollouts };
  }

  /** The problems of a step, as they are asked: a run never sees one index of its stream twice. */
  #prompts(step: number, levels: readonly number[] | null): Prompt[] {
    const { config, tasks, renderer, promptStyle } = this.#parts;
    const count = problemsInStep(config);
    return Array.from({ length: count }, (_, i) => {
      const { problem, part } = trainingProblem(tasks, levels, config.seed, (step - 1) * count + i);
      const messages = partOf(tasks, part).task.messages(problem, promptStyle);
      return {
        problem,
        part,
        question: messages.at(-1)?.content ?? '',
        promptIds: renderer.promptIds(messages),
      };
    });
  }

  async #sample(prompts: readonly Prompt[], step: number, options: StepOptions): Promise<GroupResult[]> {
    const { config, renderer, pool } = this.#parts;
    const requests = prompts.map(({ promptIds }, index): GroupRequest => ({
      promptIds,
      samples: config.rolloutsPerProblem,
      seed: config.seed,
      step,
      problem: index,
    }));
    const { temperature, topP, topK, maxTokens } = config;
    return pool.generate(
      requests,
      { temperature, topP, topK, maxTokens, stop: renderer.stopStrings },
      {
        signal: options.signal,
        onProgress: ({ finished, total, tokens }) =>
          options.onProgress?.({ activity: 'sampling', done: finished, total, tokens }),
      },
    );
  }

  async #score(prompts: readonly Prompt[], groups: readonly GroupResult[]) {
    const { config, tasks, renderer } = this.#parts;
    const answers = prompts.map((prompt, p) =>
      completed(groups[p]).map((completion) => {
        const { tokens } = completion;
        const { text, stopReason } = renderer.textOf(tokens, completion.stopReason);
        return { prompt, completion, scored: { text, tokens, stopReason } };
      }),
    );
    const items = answers.flat().map(({ prompt, scored: completion }) => ({ ...prompt, completion }));
    const rewards = await rewardsOf(tasks, items, config.scoring);
    this.#programFailures = programFailures(this.#programFailures, rewards);
    const next = rewards.values();
    const scored = answers.map((group) =>
      group.flatMap(({ prompt, completion, scored: { text } }) => {
        const reward = next.next().value;
        return reward === undefined ? [] : [{ ...prompt, text, reward, ...completion }];
      }),
    );
    if (scored.every((group) => group.length === 0))
      throw new Error(`No answer could be sampled: ${firstFailure(groups)}`);
    const rewardsPG = scored
      .map((group) => group.map(({ reward }) => reward.total))
      .filter((rewards) => rewards.length > 0);
    const advantagesPG = this.#advantages(rewardsPG);
    const answered = scored.filter((group) => group.length > 0);
    const rollouts = answered.flatMap((group, p) =>
      group.map((rollout, g): ScoredRollout => ({ ...rollout, advantage: advantagesPG[p]?.[g] ?? 0 })),
    );
    return { rollouts, rewardsPG };
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

  #advantages(rewardsPG: readonly (readonly number[])[]): number[][] {
    const { baseline, scaleByStd } = this.#parts.config;
    if (baseline === 'group') return groupAdvantages(rewardsPG, scaleByStd);
    return baselineAdvantages(rewardsPG, baseline === 'moving' ? this.#state.baseline : 0);
  }

  #train(microbatches: ReturnType<typeof packMicrobatches>, learningRate: number, options: StepOptions) {
    const { config, policy, reference, optimizer, breathe } = this.#parts;
    const total = microbatches.reduce((sum, { batch, length }) => sum + batch * length, 0);
    let done = 0;
    const report = (tokens: number): void => {
      done += tokens;
      options.onProgress?.({ activity: 'training', done, total, tokens: done });
    };
    report(0);
    return trainStep(
      microbatches,
      learningRate,
      { policy, reference, optimizer, temperature: config.temperature, loss: lossOf(config), breathe },
      report,
    );
  }
}
