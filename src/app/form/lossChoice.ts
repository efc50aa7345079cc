/** The settings that choosing a loss brings along. */
import { CISPO_CAP, LOSSES, type LossName } from '../../config/losses.ts';
import type { FieldKey, RunConfig } from '../../config/schema.ts';
import { formErrors, usualValue } from './settings.ts';

function clipHighFor(form: RunConfig, before: LossName): number {
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
export function withLoss(form: RunConfig, loss: LossName): RunConfig {
  const chosen: RunConfig = { ...form, loss };
  const grouped: RunConfig = LOSSES[loss].comparesWithinGroups
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
