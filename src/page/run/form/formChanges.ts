/** The consequences of a change in the form of settings. */
import { CISPO_CAP, LOSSES, type LossName } from '@rl-playground/engine/parts';
import {
  defaultConfig,
  PRESETS,
  type FieldKey,
  type RunConfig,
  withoutGroups,
} from '@rl-playground/run/settings';
import { findTask } from '@rl-playground/tasks/parts';
import { changedKeys, formErrors, usualValue } from './settings.ts';
import { sharedStarter } from './task.ts';

/** The settings that mean something for one task only. */
const OF_THE_TASK: ReadonlySet<FieldKey> = new Set(['taskConfig', 'mixture', 'model']);

/**
 * The form with another task and its defaults. Changed settings stay, unless they belong to the task before, and so does the preset, unless
 * it is made for that one.
 */
export function withTask(form: RunConfig, task: string): RunConfig {
  const { task: made, original } = PRESETS[form.preset];
  const fits = made === undefined || made === task || original?.sameTasks.includes(task);
  const preset = fits ? form.preset : 'default';
  const kept = changedKeys(form).filter((key) => !OF_THE_TASK.has(key));
  const changes = Object.fromEntries(kept.map((key) => [key, form[key]]));
  return { ...defaultConfig(task, preset), ...changes };
}

function clipHighFor(form: RunConfig, before: LossName): number {
  if (form.clipMeaning !== 'epsilon') return form.clipHigh;
  if (form.loss === 'cispo' && form.clipHigh < 1) return CISPO_CAP;
  if (before === 'cispo' && form.clipHigh === CISPO_CAP) {
    const usual = usualValue(form, 'clipHigh');
    return typeof usual === 'number' && usual < 1 ? usual : 0.2;
  }
  return form.clipHigh;
}

/** The replacements for values that do not fit the loss. */
const FITTING: Partial<RunConfig> = {
  lossReduction: 'auto',
  ratioLevel: 'token',
  clipDelta: 0,
};

/** The form with another loss and whatever that loss needs. */
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

/** The form with one changed setting. A mixture whose tasks share a bundled model trains that one; a loss or a baseline sets what it needs. */
export function withValue(form: RunConfig, key: FieldKey, value: RunConfig[FieldKey]): RunConfig {
  const next: RunConfig = { ...form, [key]: value };
  if (key === 'loss') return withLoss(form, next.loss);
  if (key === 'baseline') return { ...next, ...withoutGroups(next) };
  if (key !== 'mixture') return next;
  const model = sharedStarter(next.mixture.map(({ task }) => findTask(task)));
  return model === null ? next : { ...next, model };
}
