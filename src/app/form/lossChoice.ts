/** What each loss is in one sentence, and the settings that choosing it brings along. */
import { GRPO_FAMILY, CISPO_CAP } from '../../config/rules/loss.ts';
import type { FieldKey, RunConfig } from '../../config/runFields.ts';
import { formErrors, usualValue } from './settings.ts';

type Loss = RunConfig['loss'];

export const LOSS_SENTENCES: Readonly<Record<Loss, string>> = {
  grpo: 'Answers to the same problem are compared with each other, and one batch can push only so far.',
  reinforce: 'Answers above the baseline become likelier, answers below it less likely, without a limit.',
  importance_sampling:
    'REINFORCE that corrects for answers of older weights, by the ratio of new to old probability.',
  ppo: 'Importance sampling whose ratio is clipped: a token that moved far enough is pushed no further.',
  cispo: 'The ratio is clipped as a weight only, so that every token keeps on teaching something.',
  dro: 'REINFORCE with a quadratic pull back towards the probabilities that the answers were sampled with.',
  bnpo: 'GRPO averaged over the tokens of each mini-batch, whatever the lengths of the answers.',
  dr_grpo: 'GRPO divided by the longest length allowed, so that long wrong answers are not spared.',
  dapo: 'GRPO averaged over all tokens of the update, so that long answers count in full.',
};

function clipHighFor(form: RunConfig, before: Loss): number {
  if (form.clipMeaning !== 'epsilon') return form.clipHigh;
  if (form.loss === 'cispo' && form.clipHigh < 1) return CISPO_CAP;
  if (before === 'cispo' && form.clipHigh === CISPO_CAP) {
    const usual = usualValue(form, 'clipHigh');
    return typeof usual === 'number' && usual < 1 ? usual : 0.2;
  }
  return form.clipHigh;
}

/** What is set instead of a value that does not go with the loss. */
const FITTING: Partial<RunConfig> = {
  lossReduction: 'auto',
  ratioLevel: 'token',
  clipDelta: 0,
};

/** The form with another loss and whatever that one cannot do without; all else stays. */
export function withLoss(form: RunConfig, loss: Loss): RunConfig {
  const chosen: RunConfig = { ...form, loss };
  const grouped: RunConfig = GRPO_FAMILY.has(loss)
    ? {
        ...chosen,
        baseline: chosen.baseline === 'leave_one_out' ? 'leave_one_out' : 'group',
        oneProblemPerGenerator: false,
        rolloutsPerProblem: Math.max(2, chosen.rolloutsPerProblem),
      }
    : chosen;
  const clipped = { ...grouped, clipHigh: clipHighFor(grouped, form.loss) };
  const errors = formErrors(clipped);
  const fitting = Object.entries(FITTING).filter(([key]) => errors.has(key as FieldKey));
  return { ...clipped, ...Object.fromEntries(fitting) };
}
