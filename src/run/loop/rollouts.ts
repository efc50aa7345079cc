/** The comparison of a step's answers: their advantages, from rewards, the reference or the value head, and the sequences to train on. */
import type { Draw } from '@rl-playground/base/random';
import type { RunConfig } from '../settings/schema/schema.ts';
import {
  advantagesOf,
  keptGroups,
  klShaping,
  explainedVariance,
  generalizedAdvantages,
  standardized,
  tokenRewards,
  type Sequence,
  type TrainedValues,
} from '@rl-playground/engine/parts';
import type { Engine } from '@rl-playground/engine/parts/tensors';
import { isCounted, type Rollout, type RolloutGroup } from '../rollouts/rollout.ts';
import { referenceShare, referenceWeights } from './referenceSample.ts';

export interface ComparedRollouts {
  readonly rollouts: readonly Rollout[];
  /** The sequence that each is trained as; null if its group was removed. */
  readonly sequences: readonly (Sequence | null)[];
  /** The explained variance of the returns, by the value head; null without one. */
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
  settings: RunConfig,
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
  { klPenaltyCoef, temperature, gaeGamma, gaeLambda, advantageScale, oldLogprobs }: RunConfig,
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

/** Gives each kept rollout the number that it stands for in the distance to the reference. */
function weighted(
  rollouts: readonly Rollout[],
  kept: readonly boolean[],
  settings: RunConfig,
  draw: Draw,
): Rollout[] {
  const lengths = rollouts.filter((_, i) => kept[i]).map(({ tokens }) => tokens.length);
  const weights = referenceWeights(lengths, referenceShare(settings, lengths.length), draw).values();
  return rollouts.map((rollout, i) => ({
    ...rollout,
    referenceWeight: kept[i] === true ? (weights.next().value ?? 0) : 0,
  }));
}

/** Gives a rollout the advantage `advantageAt(t)` at token t. */
function advantaged(rollout: Rollout, advantageAt: (t: number) => number): Rollout {
  const advantages = rollout.tokens.map((_, t) => advantageAt(t));
  const sum = advantages.reduce((all, advantage) => all + advantage, 0);
  return { ...rollout, advantages, advantage: sum / Math.max(1, advantages.length) };
}

/** All rollouts of a step's groups: those that were compared, and in their places those that are left out. */
export function withLeftOut(compared: readonly Rollout[], groups: readonly RolloutGroup[]): Rollout[] {
  const next = compared.values();
  return groups.flatMap(({ rollouts }) =>
    rollouts.map((rollout) =>
      isCounted(rollout) ? (next.next().value ?? rollout) : advantaged(rollout, () => 0),
    ),
  );
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
