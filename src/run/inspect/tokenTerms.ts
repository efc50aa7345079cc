/** The part of a step's loss that each token has, by the functions that training itself computes the loss with. */
import {
  type Sequence,
  withEntropyTerms,
  type LossInputs,
  type TokenLoss,
  weightsOfWhole,
} from '@rl-playground/engine/parts';
import { tf, ratioOf } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import { lossOptions } from '../loop/lossOptions.ts';

/** The part of a rollout that its terms come from. */
export type LossAnswer = Pick<Rollout, 'promptIds' | 'tokens' | 'logprobs' | 'advantages' | 'trained'>;

/** Arrays of one answer's tokens, in the forward pass of its first update. */
export interface TokenTerms {
  /** ρ = p / p_old. */
  readonly ratios: readonly number[];
  /** ℓ of the policy's term, and of the KL penalty; both before the weight. */
  readonly policy: readonly number[];
  readonly kl: readonly number[];
  /** The value of one nat of a token's entropy: below 0 under an entropy bonus, 0 without. */
  readonly entropyWeights: readonly number[];
  /** The entropy bonus, its weight included. */
  readonly entropy: readonly number[];
  /** w · (policy + kl) + entropy: what the token adds to the loss. */
  readonly added: readonly number[];
  /** The weight w of each token of the answer in the loss of its update. */
  readonly weight: number;
  /** 1 where the policy's term counts, 0 where the entropy is too low for that; null where it counts everywhere. */
  readonly kept: ArrayLike<number> | null;
  /** True for each token whose ratio lies in the range that clipping acts on. */
  readonly clipped: readonly boolean[];
}

/** The inputs of a loss for an answer that was trained on: rows of its tokens. */
export function lossInputs(
  { tokens, logprobs, advantages }: LossAnswer,
  seen: NonNullable<LossAnswer['trained']>,
  kept: ArrayLike<number> | null | undefined,
): LossInputs {
  const row = (values: ArrayLike<number>): tf.Tensor2D =>
    tf.tensor2d([Array.from(values)], [1, tokens.length]);
  return {
    logprob: row(seen.logprobs),
    oldLogprob: row(seen.oldLogprobs),
    samplerLogprob: row(logprobs),
    referenceLogprob: row(seen.referenceLogprobs.length > 0 ? seen.referenceLogprobs : seen.logprobs),
    advantage: row(advantages),
    mask: tf.ones([1, tokens.length]),
    ...(kept && { kept: row(kept) }),
  };
}

/**
 * The terms of each rollout of a step; null for untrained ones, and those not among `only`. If a step is one update, Σ added over all
 * tokens is the step's loss; with several, an answer's terms are those of its first update, as if that were all of the batch.
 */
export async function tokenTerms<Answer extends LossAnswer>(
  rollouts: readonly Answer[],
  config: RunConfig,
  only: ReadonlySet<Answer> = new Set(rollouts),
): Promise<(TokenTerms | null)[]> {
  const trained = rollouts.filter((rollout) => rollout.trained !== null);
  const loss = lossOptions(config);
  const policyLoss = lossOptions({ ...config, klBeta: 0 }).tokenLoss;
  const sequences = trained.map(({ promptIds, tokens, logprobs, advantages, trained: seen }): Sequence => ({
    promptIds,
    tokens,
    samplerLogprobs: logprobs,
    advantages,
    masked: seen?.counted !== true,
  }));
  const marked = withEntropyTerms(
    sequences,
    loss,
    trained.map((rollout) => rollout.trained?.entropies ?? []),
  );
  const weightOf = weightsOfWhole(sequences, loss.reduction, loss.maxTokens);
  const found = new Map<Answer, TokenTerms>();
  for (const [i, rollout] of trained.entries()) {
    const seen = rollout.trained;
    if (seen === null || !only.has(rollout)) continue;
    const kept = marked[i]?.kept;
    const [ratios, policy, all] = tf.tidy(() => {
      const inputs = lossInputs(rollout, seen, kept);
      const of = (wanted: TokenLoss): tf.Tensor2D => wanted(inputs).clone();
      return [ratioOf(inputs, loss.ratioLevel), of(policyLoss), of(loss.tokenLoss)] as const;
    });
    const [ratio = [], own = [], whole = []] = await Promise.all(
      [ratios, policy, all].map(async (tensor) => Array.from(await tensor.data())),
    );
    tf.dispose([ratios, policy, all]);
    const { clip } = loss;
    const weight = seen.counted ? weightOf(i) : 0;
    const entropyWeights = rollout.tokens.map((_, t) => marked[i]?.entropyWeights?.[t] ?? 0);
    const entropy = entropyWeights.map((each, t) => each * (seen.entropies[t] ?? 0));
    found.set(rollout, {
      ratios: ratio,
      policy: own,
      kl: whole.map((each, t) => each - (own[t] ?? 0)),
      entropyWeights,
      entropy,
      added: whole.map((each, t) => weight * each + (entropy[t] ?? 0)),
      weight,
      kept: kept ?? null,
      clipped: ratio.map((each, t) => {
        const advantage = rollout.advantages[t] ?? 0;
        return clip !== null && ((each < clip.low && advantage < 0) || (each > clip.high && advantage > 0));
      }),
    });
  }
  return rollouts.map((rollout) => found.get(rollout) ?? null);
}
