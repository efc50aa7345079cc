import type { FieldKey, RunConfig } from '@rl-playground/run/settings';
import { useRun } from '../state/runStore.ts';
import { type FormState, useForm } from './formStore.ts';
import { formErrors, isLocked, lockOf, type Lock } from './settings.ts';

export function useLock(): Lock {
  return useRun((state) => lockOf(state.snapshot));
}

type Read = Pick<FormState, 'form' | 'customTasks'>;

/** The errors of the newest form, kept because some twenty fields ask for them at once. */
let known: (Read & { readonly errors: ReadonlyMap<FieldKey, string> }) | null = null;

function errorsOf({ form, customTasks }: Read): ReadonlyMap<FieldKey, string> {
  if (known?.form !== form || known.customTasks !== customTasks)
    known = { form, customTasks, errors: formErrors(form) };
  return known.errors;
}

export function useFormErrors(): ReadonlyMap<FieldKey, string> {
  return useForm(errorsOf);
}

interface FieldState {
  readonly value: RunConfig[FieldKey];
  readonly locked: boolean;
  readonly error: string | undefined;
}

export function useField(key: FieldKey): FieldState {
  const value = useForm((state) => state.form[key]);
  // A preset sets every setting.
  const kept = useForm(({ classroom: { locked } }) => (key === 'preset' ? locked.size > 0 : locked.has(key)));
  const locked = isLocked(useLock(), key) || kept;
  const error = useFormErrors().get(key);
  return { value, locked, error };
}

/** The settings of the run on the page or, before there is one, of the form. */
export function useShownConfig(): RunConfig {
  const form = useForm((state) => state.form);
  return useRun(({ snapshot }) => snapshot.config) ?? form;
}
