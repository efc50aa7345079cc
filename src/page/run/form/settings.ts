/** The rules of the form: which settings differ, are wrong, or are locked. */
import {
  sameValue,
  FIELDS,
  type FieldDescription,
  type NumberField,
  parseConfig,
  defaultConfig,
  type FieldKey,
  type RunConfig,
  isFieldKey,
} from '@rl-playground/run/settings';
import type { RunSnapshot } from '@rl-playground/run/session';
import { findTask, type TaskConfig } from '@rl-playground/tasks/parts';
import { isBusy } from '../state/phases.ts';

const BASE_KEYS: ReadonlySet<FieldKey> = new Set(['task', 'preset']);

/** The settings that may change while a run is paused. */
const FREE_WHILE_HELD: ReadonlySet<FieldKey> = new Set(['numSteps', 'numGenerators', 'evalEvery']);

/** The value of `key` under the form's task and preset before anybody changes it. */
export function usualValue(form: RunConfig, key: FieldKey): RunConfig[FieldKey] {
  return defaultConfig(form.task, form.preset)[key];
}

/** The settings that differ from their task's and preset's. */
export function changedKeys(form: RunConfig): FieldKey[] {
  const base = defaultConfig(form.task, form.preset);
  return FIELDS.map((field) => field.key).filter(
    (key) => !BASE_KEYS.has(key) && !sameValue(form[key], base[key]),
  );
}

export function wholeTaskConfig(form: RunConfig): TaskConfig {
  return { ...findTask(form.task)?.defaults, ...form.taskConfig };
}

/** The errors that keep the form from being trained on, by setting. */
export function formErrors(form: RunConfig): ReadonlyMap<FieldKey, string> {
  const parsed = parseConfig(form);
  if (parsed.ok) return new Map();
  const errors = new Map<FieldKey, string>();
  for (const error of parsed.errors) {
    const colon = error.indexOf(': ');
    const key = error.slice(0, colon);
    if (isFieldKey(key)) errors.set(key, error.slice(colon + 2));
  }
  return errors;
}

/** `all` while the model works, `held` while a run is paused and a few settings are free, `none` while all are. */
export type Lock = 'none' | 'held' | 'all';

export function lockOf(snapshot: Pick<RunSnapshot, 'phase' | 'step'>): Lock {
  const { phase, step } = snapshot;
  if (isBusy(phase)) return 'all';
  return phase === 'paused' || phase === 'stopped' || (phase === 'idle' && step > 0) ? 'held' : 'none';
}

export function isLocked(lock: Lock, key: FieldKey): boolean {
  return lock === 'all' || (lock === 'held' && !FREE_WHILE_HELD.has(key));
}

export function fieldOf(key: FieldKey): FieldDescription {
  const found = FIELDS.find((field) => field.key === key);
  if (found === undefined) throw new Error(`There is no setting named ${key}.`);
  return found;
}

/** The value after one arrow key: its second significant digit moves (150 → 160, 0.0003 → 0.00031), inside the bounds. */
export function stepped(value: number, direction: 1 | -1, field: NumberField): number {
  const smallest = field.step ?? 1e-12;
  const digit = value === 0 ? (field.step ?? 0.01) : 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
  return bounded(value + direction * Math.max(digit, smallest), field);
}

/** The value with six digits, inside the bounds. */
export function bounded(value: number, { min, max }: NumberField): number {
  return Math.min(max, Math.max(min, Number(value.toPrecision(6))));
}

/** The settings that change by factors of two. */
export const MULTIPLIED: ReadonlySet<FieldKey> = new Set(['learningRate', 'warmStartLearningRate']);
