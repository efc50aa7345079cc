/** Runs whose answers have nothing to learn from. */
import type { RunConfig } from '../../settings/schema/schema.ts';
import { digits, found, percent, type Cure, type Finding, type Rule } from './diagnosis.ts';
import type { Evidence } from './evidence.ts';
import {
  EQUAL_STEPS,
  FEW_MIXED,
  LITTLE_SIGNAL,
  MASTERED,
  MOST_CUT,
  MUCH_ENTROPY,
  NO_ENTROPY,
  REWARD_OFFSET,
  SIGMAS_WITH_SIGN,
  SMALL_GROUP,
} from './lines.ts';

const TOKENS_MOST = 4096;

/** The first steps' share of cut answers: a model that only learns to go on is no case of too little room. */
const cutFromTheStart = ({ steps }: Evidence): boolean =>
  steps.slice(0, 2).every(({ truncated }) => truncated >= MOST_CUT);

const enough = (e: Evidence): boolean => e.steps.length >= EQUAL_STEPS;

function equalGroups(e: Evidence): Finding | null {
  if (!e.groupCentred || !enough(e) || e.accuracy >= MASTERED) return null;
  return found(
    e.fracMixed <= LITTLE_SIGNAL ? 1 + (MASTERED - e.accuracy) : 0,
    () =>
      `In the last steps ${percent(1 - e.fracMixed)} of the groups had answers that all earned the same, and ${percent(e.accuracy)} of the sampled answers were right.`,
  );
}

function warmer({ temperature }: RunConfig): Cure {
  if (temperature < 1)
    return { text: 'Sample at temperature 1, so that answers differ.', changes: { temperature: 1 } };
  return {
    text: 'Add a small entropy bonus, 0.01, and continue from before the collapse.',
    changes: { entropyCoef: 0.01 },
  };
}

export const SIGNAL_RULES: readonly Rule[] = [
  {
    id: 'answers-cut',
    title: 'Answers are cut off before their end',
    cause: 'The token limit is below what the model needs for an answer.',
    judge: (e) =>
      cutFromTheStart(e) && e.steps.length > 1
        ? found(
            e.truncated / MOST_CUT,
            () =>
              `${percent(e.truncated)} of the latest answers ended at the limit of ${e.config.maxTokens} tokens, as those of the first steps did.`,
          )
        : null,
    cure: ({ maxTokens }) => ({
      text: 'Give answers twice as many tokens.',
      changes: { maxTokens: Math.min(TOKENS_MOST, 2 * maxTokens) },
    }),
  },
  {
    id: 'entropy-collapse',
    title: 'Entropy has collapsed: all answers are the same',
    cause:
      'The model is sure of every token, right or wrong, so the answers to a problem are equal and comparing them says nothing.',
    // Where no more answers are wrong than groups differ, no problem need be surely wrong: a run that has learned ends like that.
    judge: (e) =>
      e.entropy === null || e.accuracy >= MASTERED || e.fracMixed >= Math.min(0.5, 1 - e.accuracy)
        ? null
        : found(
            NO_ENTROPY / Math.max(e.entropy, 1e-9),
            () =>
              `The entropy of a token is ${digits(e.entropy ?? 0)} nats; only ${percent(e.fracMixed)} of the groups have answers that earn differently, and ${percent(e.accuracy)} of the sampled answers are right.`,
          ),
    cure: warmer,
  },
  {
    id: 'too-hot',
    title: 'The sampling temperature is too high',
    cause: 'Tokens are drawn so randomly that almost no answer is right, though the model could do better.',
    judge: (e) =>
      e.entropy === null || e.config.temperature <= 1 || e.accuracy >= 0.5 || e.steps.length < 2
        ? null
        : found(
            e.entropy / MUCH_ENTROPY,
            () =>
              `At temperature ${e.config.temperature} the entropy of a token is ${digits(e.entropy ?? 0)} nats, and ${percent(e.accuracy)} of the sampled answers are right.`,
          ),
    cure: () => ({ text: 'Sample at temperature 1.', changes: { temperature: 1 } }),
  },
  {
    id: 'no-baseline',
    title: 'Every answer is pushed the same way',
    cause:
      'Nothing is subtracted from the reward, so answers below average become more likely too, and the noise of the gradient drowns its signal.',
    judge: (e) => {
      const { baseline } = e.config;
      const spread =
        e.steps.slice(-EQUAL_STEPS).reduce((sum, step) => sum + step.rewardStd, 0) /
        Math.min(EQUAL_STEPS, e.steps.length);
      if (baseline !== 'none' || e.steps.length < 2 || spread === 0) return null;
      return found(
        Math.abs(e.reward) / spread / REWARD_OFFSET,
        () =>
          `The mean reward is ${digits(e.reward)} and its standard deviation ${digits(spread)}, with no baseline.`,
      );
    },
    cure: () => ({ text: 'Subtract the mean of the group.', changes: { baseline: 'group' } }),
  },
  {
    id: 'few-answers',
    title: 'Too few answers to learn from',
    cause:
      'In small groups most answers earn the same as the others of their group, and the rest are too few to tell skill from luck.',
    judge: (e) =>
      !e.groupCentred ||
      e.config.rolloutsPerProblem > SMALL_GROUP ||
      !enough(e) ||
      e.accuracy >= MASTERED ||
      e.rewardRise.sigmas >= SIGMAS_WITH_SIGN
        ? null
        : found(
            FEW_MIXED / Math.max(e.mixedAnswers, 1e-9),
            () =>
              `With ${e.config.rolloutsPerProblem} answers to a problem only ${digits(e.mixedAnswers)} answers per step are in groups whose rewards differ.`,
          ),
    cure: () => ({ text: 'Ask for 8 answers to each problem.', changes: { rolloutsPerProblem: 8 } }),
  },
];

export const NO_SIGNAL_RULE: Rule = {
  id: 'no-signal',
  title: 'Nothing to learn from',
  cause: 'Problems are too hard, or the reward can’t tell the model’s answers apart.',
  judge: equalGroups,
  cure: () => ({
    text: 'Ask easier problems, pay for right working, or start from a model that is sometimes right.',
    changes: {},
  }),
};
