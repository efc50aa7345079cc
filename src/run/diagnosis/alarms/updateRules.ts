/** Runs whose updates go wrong: too large, too small, held back, or from answers that are not the policy's own. */
import type { RunConfig } from '../../settings/schema/schema.ts';
import type { DiagnosisId } from '../../settings/zoo.ts';
import type { StepMetrics } from '../../metrics/metrics.ts';
import { klCause, KL_LINE, roundsProducts, type KlCauseKind } from './klCause.ts';
import { digits, found, lowerRate, percent, type Cure, type Rule } from './diagnosis.ts';
import type { Evidence } from './evidence.ts';
import {
  GRADIENT_TIMES,
  IDLE_STEPS,
  KL_IDLE,
  KL_JUMP,
  KL_LATER,
  LITTLE_SIGNAL,
  SIGMAS,
  SIGMAS_WITH_SIGN as SIGN,
} from './lines.ts';

/** The second largest KL of the latest three steps that `klCause` blames on `kind`, over its line, and the words for it. */
function klFinding({ steps, config }: Evidence, kind: KlCauseKind) {
  const causes = [1, 2, 3].flatMap((back) => {
    const upTo = steps.slice(0, steps.length - back + 1);
    const step = upTo.at(-1);
    const cause = step && klCause(upTo, config);
    if (!step || cause?.kind !== kind) return [];
    return [
      { kl: Math.max(Math.abs(step.klSampleTrainV1 ?? 0), step.klSampleTrainV2 ?? 0), text: cause.text },
    ];
  });
  const [first, second] = causes.toSorted((a, b) => b.kl - a.kl);
  const newest = causes[0];
  return first && second && newest ? found(second.kl / KL_LINE, () => newest.text) : null;
}

const klRule = (id: DiagnosisId, kind: KlCauseKind, words: Pick<Rule, 'title' | 'cause' | 'cure'>): Rule => ({
  id,
  ...words,
  judge: (e) => klFinding(e, kind),
});

function oneUpdate(config: RunConfig): Cure {
  const { numSubsteps, ppoEpochs, miniBatchSize } = config;
  if (numSubsteps === 1 && ppoEpochs === 1 && miniBatchSize === 0) return lowerRate(config);
  return {
    text: 'Make one update of each batch.',
    changes: { numSubsteps: 1, ppoEpochs: 1, miniBatchSize: 0, gradientAccumulation: 1 },
  };
}

function agreeing(config: RunConfig): Cure {
  const { samplerNoise, generatorPrecision, cachePrecision, loraRank, generatorAdapter } = config;
  const changes: Partial<RunConfig> = {
    ...(samplerNoise > 0 && { samplerNoise: 0 }),
    ...(generatorPrecision === 'f16' && { generatorPrecision: 'f32' }),
    ...(cachePrecision === 'f16' && { cachePrecision: 'f32' }),
    ...(roundsProducts(config) && { generatorProducts: 'exact' }),
    ...(loraRank > 0 && generatorAdapter === 'merged' && { generatorAdapter: 'beside' }),
  };
  if (Object.keys(changes).length > 0)
    return { text: 'Let the generators compute as the trainer does.', changes };
  return {
    text: 'Use the trainer’s old probabilities, and correct each token for the sampler’s error with a weight of at most 2.',
    changes: { oldLogprobs: 'trainer', importanceCap: 2 },
  };
}

/** KL of sampler and trainer in the updates of a step after its first; 0 where there is one update. */
const laterKl = ({ klLaterUpdatesV1: v1, klLaterUpdatesV2: v2 }: StepMetrics): number =>
  Math.max(Math.abs(v1 ?? 0), v2 ?? 0);

/** The three of a sampler that is not the policy. */
export const SAMPLER_RULES: readonly Rule[] = [
  {
    id: 'updates-too-far',
    title: 'The updates of a step move the policy too far',
    cause:
      'After its first update a batch is no longer the policy’s own, and the later ones learn from answers that it would not write.',
    judge: ({ steps }) => {
      const [first, second] = steps
        .slice(-3)
        .map(laterKl)
        .toSorted((a, b) => b - a);
      const latest = steps.at(-1);
      if (first === undefined || second === undefined || latest === undefined) return null;
      return found(
        second / KL_LATER,
        () =>
          `In the later of the ${latest.updates ?? 1} updates of a step KL to the sampler was up to ${digits(first)} nats per token; stable runs stay below ${KL_LINE}.`,
      );
    },
    cure: oneUpdate,
  },
  klRule('stale-answers', 'staleness', {
    title: 'Answers are too old',
    cause: 'Older weights sampled the answers, and the policy has moved on since.',
    cure: (config) => {
      const lower = lowerRate(config);
      return {
        text: `Sample and train in turns. ${lower.text}`,
        changes: { schedule: 'sync', ...lower.changes },
      };
    },
  }),
  klRule('sampler-differs', 'mismatch', {
    title: 'Generators and trainer disagree',
    cause: 'They give different probabilities to the same tokens with the same weights.',
    cure: agreeing,
  }),
];

const heldBack = ({ klBeta, klPenaltyCoef }: RunConfig): boolean => klBeta > 0 || klPenaltyCoef > 0;

export const KL_HOLDS_RULE: Rule = {
  id: 'kl-holds',
  title: 'The KL penalty is stronger than the reward',
  cause: 'Most of the gradient pulls the model back to where it started.',
  judge: (e) => {
    const { gradientRatio, config, steps } = e;
    if (!heldBack(config) || gradientRatio === null || steps.length < 5 || e.rewardRise.sigmas >= SIGN)
      return null;
    return found(
      gradientRatio / GRADIENT_TIMES,
      () =>
        `The gradient’s norm is ${digits(gradientRatio)} times that of the first step, where there was no KL yet; KL stays at ${digits(e.kl ?? 0)} nats and the mean reward at ${digits(e.reward)}.`,
    );
  },
  cure: ({ klBeta, klPenaltyCoef }) => ({
    text: 'Make the penalty a hundred times smaller.',
    changes: { klBeta: klBeta / 100, klPenaltyCoef: klPenaltyCoef / 100 },
  }),
};

/** The certainty that something good is gone. */
const worse = ({ rewardFall, accuracyFall }: Evidence): number =>
  -Math.min(rewardFall.sigmas, accuracyFall.sigmas);

export const RATE_RULES: readonly Rule[] = [
  {
    id: 'ruinous-rate',
    title: 'The learning rate is too high',
    cause: 'Updates are so large that the model loses what it could do.',
    judge: (e) =>
      e.klJump === null || worse(e) < SIGN
        ? null
        : found(
            e.klJump / KL_JUMP,
            () =>
              `At a learning rate of ${e.config.learningRate} the model moved ${digits(e.klJump ?? 0)} nats (KL) from its start within four steps, and the mean reward went from ${digits(e.rewardFall.from)} to ${digits(e.rewardFall.to)}, accuracy from ${percent(e.accuracyFall.from)} to ${percent(e.accuracyFall.to)}.`,
          ),
    cure: (config) => lowerRate(config, 10),
  },
];

export const IDLE_RULE: Rule = {
  id: 'idle-rate',
  title: 'The learning rate is too low to change anything',
  cause: 'There is a signal to learn from, and the updates are too small to follow it.',
  judge: (e) =>
    e.kl === null ||
    e.config.klReference === 'past' ||
    heldBack(e.config) ||
    e.steps.length < IDLE_STEPS ||
    e.fracMixed <= LITTLE_SIGNAL
      ? null
      : found(
          KL_IDLE / Math.max(e.kl, 1e-12),
          () =>
            `After ${e.latest.step} steps KL to the start is ${digits(e.kl ?? 0)} nats, though ${percent(e.fracMixed)} of the groups have better and worse answers.`,
        ),
  cure: (config) => ({
    text: 'Raise the learning rate tenfold.',
    changes: { learningRate: Number((config.learningRate * 10).toPrecision(2)) },
  }),
};

export const FELL_RULE: Rule = {
  id: 'reward-fell',
  title: 'The run has collapsed',
  cause: 'Updates have pushed the model away from answers that worked.',
  judge: (e) =>
    found(
      worse(e) / SIGMAS,
      () =>
        `The mean reward of the latest steps is ${e.rewardFall.to.toFixed(2)}; it had been ${e.rewardFall.from.toFixed(2)}. Accuracy is ${percent(e.accuracyFall.to)}; it had been ${percent(e.accuracyFall.from)}.`,
    ),
  cure: (config) => lowerRate(config),
};
