import { useMemo } from 'react';
import type { FieldKey, RunConfig } from '../../config/schema.ts';
import { formErrors, isLocked, lockOf, type Lock } from '../form/settings.ts';
import { useApp } from '../store.ts';

export function useLock(): Lock {
  return useApp((state) => lockOf(state.snapshot));
}

/** What keeps the form from being trained on. */
export function useFormErrors(): ReadonlyMap<FieldKey, string> {
  const form = useApp((state) => state.form);
  return useMemo(() => formErrors(form), [form]);
}

interface FieldState {
  readonly value: RunConfig[FieldKey];
  readonly locked: boolean;
  readonly error: string | undefined;
}

/** One setting as its control needs it. */
export function useField(key: FieldKey): FieldState {
  const value = useApp((state) => state.form[key]);
  // A preset sets every setting.
  const kept = useApp(({ classroom: { locked } }) => (key === 'preset' ? locked.size > 0 : locked.has(key)));
  const locked = isLocked(useLock(), key) || kept;
  const error = useFormErrors().get(key);
  return { value, locked, error };
}
