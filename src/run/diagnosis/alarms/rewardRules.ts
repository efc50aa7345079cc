/** Runs that are paid for something else than right answers, or lose what nobody pays for. */
import { findTask } from '@rl-playground/tasks/parts';
import type { RunConfig } from '../../settings/schema/schema.ts';
import { digits, found, lowerRate, percent, type Cure, type Rule } from './diagnosis.ts';
import type { Change, Evidence } from './evidence.ts';
import { FORMAT_FALL, GOES_WITH, SIGMAS, SIGMAS_APART, SIGMAS_WITH_SIGN as SIGN } from './lines.ts';

const moved = ({ from, to }: Change): string => `${digits(from)} → ${digits(to)}`;
const movedShare = ({ from, to }: Change): string => `${percent(from)} → ${percent(to)}`;

/**
 * The certainty that the reward rose while accuracy fell, over the line. Both are taken over the same steps: the reward of any run that
 * learns is higher than at its start, and of many stretches the one with the best accuracy was lucky.
 */
const hacked = ({ rewardMeanwhile, accuracyFall }: Evidence): number =>
  Math.min(rewardMeanwhile.sigmas, -accuracyFall.sigmas) / SIGMAS_APART;

const paidText = ({ rewardMeanwhile, accuracyFall }: Evidence): string =>
  `The mean reward rose (${moved(rewardMeanwhile)}) while sampled accuracy fell (${movedShare(accuracyFall)}).`;

/** The reward rule of the digit tasks that checks number and tag; for other tasks a person has to look. */
function checkedReward({ task, taskConfig }: RunConfig): Cure {
  const field = findTask(task)?.fields['reward_rule'];
  const usual = field?.kind === 'choice' ? field.default : undefined;
  if (usual === undefined || taskConfig['reward_rule'] === undefined || taskConfig['reward_rule'] === usual)
    return {
      text: 'Look at the answers with the highest rewards, and change the reward so that only right ones earn it.',
      changes: {},
    };
  return {
    text: 'Choose the reward that checks the number and the format.',
    changes: { taskConfig: { ...taskConfig, reward_rule: usual } },
  };
}

/** The property of the answers that the reward follows from step to step, if there is one: their form, or their length. */
function paidFor({ rewardWithFormat, rewardWithLength }: Evidence): 'form' | 'length' | null {
  const [form, length] = [rewardWithFormat, Math.abs(rewardWithLength)];
  if (Math.max(form, length) < GOES_WITH) return null;
  return form >= length ? 'form' : 'length';
}

export const REWARD_RULES: readonly Rule[] = [
  {
    id: 'paid-for-length',
    title: 'The reward is hacked by length',
    cause:
      'Part of the reward depends on the length of an answer, and length is easier to change than skill.',
    judge: (e) =>
      paidFor(e) === 'length'
        ? found(
            hacked(e),
            () =>
              `${paidText(e)} Answers became ${digits(e.lengthRatio)} times as long, and from step to step the reward follows their length (correlation ${e.rewardWithLength.toFixed(2)}).`,
          )
        : null,
    cure: checkedReward,
  },
  {
    id: 'paid-for-form',
    title: 'The reward is hacked by the format',
    cause: 'The format alone is rewarded, so the model learns to write it, with any answer in it.',
    judge: (e) =>
      paidFor(e) === 'form'
        ? found(
            hacked(e),
            () =>
              `${paidText(e)} The share of answers in the right format rose (${movedShare(e.formatRise)}), and the reward with it (correlation ${e.rewardWithFormat.toFixed(2)}).`,
          )
        : null,
    cure: checkedReward,
  },
  {
    id: 'paid-for-something-else',
    title: 'The reward rises and accuracy falls',
    cause: 'The reward pays for something other than right answers.',
    judge: (e) => (paidFor(e) === null ? found(hacked(e), () => paidText(e)) : null),
    cure: checkedReward,
  },
];

export const FORM_OVER_ANSWER_RULE: Rule = {
  id: 'form-over-answer',
  title: 'The format is learned and right answers are lost',
  cause:
    'The format is easier to learn. Each update in its favour also changes how answers are worked out, and few answers are right, so little protects what the model could do.',
  judge: (e) =>
    e.formatRise.sigmas >= SIGN
      ? found(
          -e.accuracyFall.sigmas / SIGMAS,
          () =>
            `Sampled accuracy fell (${movedShare(e.accuracyFall)}) while answers in the right format rose (${movedShare(e.formatRise)}).`,
        )
      : null,
  cure: (config) => {
    const { text, changes } = lowerRate(config);
    return { text: `${text} More answers per step help, too.`, changes };
  },
};

export const FORM_LOST_RULE: Rule = {
  id: 'form-lost',
  title: 'The model is losing the answer format',
  cause:
    'The reward does not ask for the format of the prompt, so nothing keeps it; or it pays for answers without it.',
  judge: (e) =>
    e.formatFall.from - e.formatFall.to < FORMAT_FALL
      ? null
      : found(
          -e.formatFall.sigmas / SIGN,
          () =>
            `${percent(e.formatFall.to)} of the latest answers are in the right format, down from ${percent(e.formatFall.from)}.`,
        ),
  cure: (config) => {
    const reward = checkedReward(config);
    return Object.keys(reward.changes).length > 0 ? reward : lowerRate(config);
  },
};
