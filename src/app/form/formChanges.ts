/** What a change of the settings form brings with it. */
import { defaultConfig, PRESETS } from '../../config/presets.ts';
import type { FieldKey, RunConfig } from '../../config/schema.ts';
import { findTask } from '../../tasks/index.ts';
import { withLoss } from './lossChoice.ts';
import { changedKeys } from './settings.ts';
import { sharedStarter } from './taskSettings.ts';

/** Settings that mean something for one task only. */
const OF_THE_TASK: ReadonlySet<FieldKey> = new Set(['taskConfig', 'mixture', 'model']);

/**
 * Another task with its own defaults; what the person changed stays changed, unless it belongs to the task before, and so does the
 * preset, unless it is made for that one.
 */
export function withTask(form: RunConfig, task: string): RunConfig {
  const made = PRESETS[form.preset].task;
  const preset = made === undefined || made === task ? form.preset : 'default';
  const kept = changedKeys(form).filter((key) => !OF_THE_TASK.has(key));
  const changes = Object.fromEntries(kept.map((key) => [key, form[key]]));
  return { ...defaultConfig(task, preset), ...changes };
}

/** One changed setting. A mixture whose tasks share a bundled model trains that one; a loss brings along what it needs. */
export function withValue(form: RunConfig, key: FieldKey, value: RunConfig[FieldKey]): RunConfig {
  const next: RunConfig = { ...form, [key]: value };
  if (key === 'loss') return withLoss(form, next.loss);
  if (key !== 'mixture') return next;
  const model = sharedStarter(next.mixture.map(({ task }) => findTask(task)));
  return model === null ? next : { ...next, model };
}
