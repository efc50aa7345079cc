/**
 * What a step works on, and fills as it goes: a place in the run's stream of problems becomes a prompt, a prompt a group of completions, each
 * completion a scored rollout, which is given its advantages and, where it is trained on, what training saw.
 */
import type { Draw } from '@rl-playground/base/random';
import type { RunConfig } from '../settings/schema/schema.ts';
import {
  type GroupResult,
  type SampledCompletion,
  type SamplingSettings,
  advantagesOf,
  keptGroups,
  klShaping,
  type ComparingSettings,
  explainedVariance,
  generalizedAdvantages,
  standardized,
  tokenRewards,
  type Sequence,
  type TrainedValues,
} from '@rl-playground/engine/parts';
import type { Engine } from '@rl-playground/engine/parts/tensors';
import type { StopReason } from '@rl-playground/base/conversation';
import type { Problem, Reward } from '@rl-playground/tasks/parts';
import { referenceShare, referenceWeights } from './referenceSample.ts';

/** A problem of the run's stream: with the run's seed, all that decides what is asked and what is drawn. */
export interface Place {
  /** 0, 1, … */
  readonly index: number;
  /** How often it was asked before and its answers were thrown away: too old to train on, or broken. */
  readonly attempt: number;
  /** The level of difficulty at which it was first asked. Null: not asked yet, or a run without a curriculum. */
  readonly level: number | null;
}

/** One problem, as it is put to the model. */
export interface Prompt extends Place {
  readonly problem: Problem;
  /** Index of its task among those of the run. */
  readonly taskIndex: number;
  readonly question: string;
  readonly promptIds: readonly number[];
}

/** The completions of one prompt. */
export interface RolloutGroup {
  readonly prompt: Prompt;
  /** As the generators gave it, broken completions and all. */
  readonly result: GroupResult;
  /** Those that hold an answer, once they are scored; empty until then. */
  readonly rollouts: readonly Rollout[];
}

/** One completion. Arrays are of its tokens, log-probabilities in nats. */
export interface Rollout extends Prompt {
  /** Index of its group within the step. */
  readonly group: number;
  /** As the renderer reads it: an answer that ended with the renderer's own mark has stopped properly. */
  readonly text: string;
  readonly stopReason: StopReason;
  readonly reward: Reward;
  readonly tokens: readonly number[];
  /** log q: as the token was drawn. */
  readonly logprobs: readonly number[];
  /** After KL shaping, where there is any; empty until its group is compared. */
  readonly advantages: readonly number[];
  /** Mean over its tokens; all have the same but under KL shaping. */
  readonly advantage: number;
  /** Version of the weights that sampled it, and how many updates of the policy were made since (0 on-policy), at the start of training. */
  readonly policyVersion: number;
  readonly policyAge: number;
  /** Seconds from the group's start to its last token. */
  readonly samplingSeconds: number;
  /** How many it stands for in the distance to the reference (referenceSample.ts); 0 where its own is not measured, and until then. */
  readonly referenceWeight: number;
  /** What training on it saw; null where it was left out of the update, and until then. */
  readonly trained: TrainedValues | null;
}

/** How a run's answers are drawn; `stop`: the renderer's texts that end one. */
export function trainingSampling(config: RunConfig, stop: readonly string[]): SamplingSettings {
  const { temperature, topP, topK, minP, repetitionPenalty, samplerNoise, maxTokens } = config;
  return { temperature, topP, topK, minP, repetitionPenalty, logitNoise: samplerNoise, maxTokens, stop };
}

/** The completions of a group that hold an answer. Failure is data: a generator that fails leaves completions with stop reason `error`. */
export function completed(group: GroupResult | undefined): readonly SampledCompletion[] {
  return (group?.completions ?? []).filter((completion) => completion.stopReason !== 'error');
}

/** Whether it holds no answer at all. */
export function isBroken(group: GroupResult): boolean {
  return completed(group).length === 0;
}

/** What the first failed completion says. */
export function firstFailure(groups: readonly GroupResult[]): string {
  const failed = groups
    .flatMap((group) => group.completions)
    .find(({ stopReason }) => stopReason === 'error');
  return failed?.error ?? 'the generators returned nothing.';
}

type AdvantageSettings = ComparingSettings &
  Pick<
    RunConfig,
    | 'removeConstantGroups'
    | 'maskTruncated'
    | 'klPenaltyCoef'
    | 'klDiscountFactor'
    | 'klBeta'
    | 'klMeasuredShare'
    | 'temperature'
    | 'schedule'
    | 'gaeGamma'
    | 'gaeLambda'
    | 'oldLogprobs'
  >;

/** Rollouts with their advantages. */
export interface ComparedRollouts {
  readonly rollouts: readonly Rollout[];
  /** What each is trained as; null where its group was removed. */
  readonly sequences: readonly (Sequence | null)[];
  /** Of the returns, by the value head; null without one. */
  readonly explainedVariance: number | null;
}

/**
 * The rollouts of scored groups, in their order. `moving`: the moving baseline before the step. Log-probabilities under the reference are
 * computed for the rollouts that are trained on, or for some of them where they are only a figure, which `draw` chooses; KL shaping
 * averages over them.
 */
export async function withAdvantages(
  groups: readonly RolloutGroup[],
  moving: number,
  settings: AdvantageSettings,
  engine: Pick<Engine, 'computeLogprobs'>,
  draw: Draw,
  onProgress?: (tokens: number) => void,
): Promise<ComparedRollouts> {
  const { klPenaltyCoef, klDiscountFactor, temperature } = settings;
  const rewardsPG = groups.map(({ rollouts }) => rollouts.map(({ reward }) => reward.total));
  const advantagesPG = advantagesOf({ rewardsPG, partsPGK: partsOf(groups) }, settings, moving);
  const compared = groups.flatMap((group, p) =>
    group.rollouts.map((rollout, g) => advantaged(rollout, () => advantagesPG[p]?.[g] ?? 0)),
  );
  const keptP = new Set(keptGroups(rewardsPG, settings.removeConstantGroups, settings.schedule !== 'stream'));
  const kept = groups.flatMap((group, p) => group.rollouts.map(() => keptP.has(p)));
  const rollouts = weighted(compared, kept, settings, draw);
  const measuredOn = rollouts.filter(({ referenceWeight }) => referenceWeight > 0);
  const { logprobs } = await engine.computeLogprobs(measuredOn, 'reference', { temperature, onProgress });
  const reference = logprobs.values();
  const sequences = rollouts.map((rollout, i) => {
    if (kept[i] !== true) return null;
    const { promptIds, tokens, logprobs: samplerLogprobs, advantages, stopReason, referenceWeight } = rollout;
    const masked = settings.maskTruncated && stopReason === 'max_tokens';
    const referenceLogprobs = referenceWeight > 0 ? (reference.next().value ?? []) : [];
    return { promptIds, tokens, samplerLogprobs, referenceLogprobs, advantages, masked };
  });
  if (settings.baseline === 'value') return withValues(rollouts, sequences, settings, engine, onProgress);
  if (klPenaltyCoef === 0) return { rollouts, sequences, explainedVariance: null };
  const measured = sequences.flatMap((sequence) => sequence ?? []);
  const gains = klShaping(measured, klPenaltyCoef, klDiscountFactor).added.values();
  const shaped = rollouts.map((rollout, i) => {
    if (kept[i] !== true) return rollout;
    const gained = gains.next().value ?? [];
    return advantaged(rollout, (t) => (rollout.advantages[t] ?? 0) + (gained[t] ?? 0));
  });
  return {
    rollouts: shaped,
    sequences: sequences.map(
      (sequence, i) => sequence && { ...sequence, advantages: shaped[i]?.advantages ?? [] },
    ),
    explainedVariance: null,
  };
}

/**
 * Rollouts and sequences, all of which are trained on, with the advantages and returns that the policy's value head gives them before it
 * is updated. KL shaping is a part of each token's reward there: r_t = −coef · (log q − log π_ref), and the answer's own comes on top of the
 * last (Ziegler et al. 2019). The same pass gives log p_old, where that is the trainer's.
 */
async function withValues(
  rollouts: readonly Rollout[],
  sequences: readonly (Sequence | null)[],
  { klPenaltyCoef, temperature, gaeGamma, gaeLambda, advantageScale, oldLogprobs }: AdvantageSettings,
  engine: Pick<Engine, 'computeLogprobs'>,
  onProgress?: (tokens: number) => void,
): Promise<ComparedRollouts> {
  const trained = sequences.flatMap((sequence) => sequence ?? []);
  const { logprobs, values } = await engine.computeLogprobs(trained, 'policy', { temperature, onProgress });
  const estimates = trained.map(({ tokens, samplerLogprobs, referenceLogprobs }, i) => {
    const rewards = tokenRewards(tokens.length, rollouts[i]?.reward.total ?? NaN);
    const shaped =
      klPenaltyCoef === 0
        ? rewards
        : rewards.map(
            (reward, t) =>
              reward - klPenaltyCoef * ((samplerLogprobs[t] ?? NaN) - (referenceLogprobs?.[t] ?? NaN)),
          );
    return generalizedAdvantages(shaped, values[i] ?? [], { gamma: gaeGamma, lambda: gaeLambda });
  });
  const counts = (i: number): boolean => trained[i]?.masked !== true;
  const estimated = estimates.map(({ advantages }) => advantages);
  const advantages = advantageScale === 'batch' ? standardized(estimated, counts) : estimated;
  const learned = estimates.flatMap((estimate, i) =>
    counts(i) ? estimate.returns.map((wanted, t) => ({ wanted, found: values[i]?.[t] ?? NaN })) : [],
  );
  return {
    rollouts: rollouts.map((rollout, i) => advantaged(rollout, (t) => advantages[i]?.[t] ?? NaN)),
    sequences: trained.map((sequence, i) => ({
      ...sequence,
      advantages: advantages[i] ?? [],
      oldValues: values[i] ?? [],
      returns: estimates[i]?.returns ?? [],
      ...(oldLogprobs === 'trainer' && { oldLogprobs: logprobs[i] ?? [] }),
    })),
    explainedVariance: explainedVariance(
      learned.map(({ found }) => found),
      learned.map(({ wanted }) => wanted),
    ),
  };
}

/** The parts of each reward, null where a reward lacks one of those that others have; the whole reward where none has any. */
function partsOf(groups: readonly RolloutGroup[]): (number | null)[][][] {
  const rewardsPG = groups.map(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const names = [...new Set(rewardsPG.flat().flatMap(({ parts }) => Object.keys(parts)))];
  if (names.length === 0) return rewardsPG.map((rewardsG) => rewardsG.map(({ total }) => [total]));
  return rewardsPG.map((rewardsG) => rewardsG.map(({ parts }) => names.map((name) => parts[name] ?? null)));
}

/** With how many each of those that are kept stands for in the distance to the reference. */
function weighted(
  rollouts: readonly Rollout[],
  kept: readonly boolean[],
  settings: AdvantageSettings,
  draw: Draw,
): Rollout[] {
  const lengths = rollouts.filter((_, i) => kept[i]).map(({ tokens }) => tokens.length);
  const weights = referenceWeights(lengths, referenceShare(settings, lengths.length), draw).values();
  return rollouts.map((rollout, i) => ({
    ...rollout,
    referenceWeight: kept[i] === true ? (weights.next().value ?? 0) : 0,
  }));
}

/** With `advantageAt(t)` at token t. */
function advantaged(rollout: Rollout, advantageAt: (t: number) => number): Rollout {
  const advantages = rollout.tokens.map((_, t) => advantageAt(t));
  const sum = advantages.reduce((all, advantage) => all + advantage, 0);
  return { ...rollout, advantages, advantage: sum / Math.max(1, advantages.length) };
}

/** The rollouts with what training saw; `trained`: of those that have a sequence, in their order. */
export function withTrained(
  { rollouts, sequences }: ComparedRollouts,
  trained: readonly (TrainedValues | null)[],
): Rollout[] {
  const values = trained.values();
  return rollouts.map((rollout, i) => ({
    ...rollout,
    trained: sequences[i] ? (values.next().value ?? null) : null,
  }));
}
