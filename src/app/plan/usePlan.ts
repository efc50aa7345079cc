import { messageOf } from '../../base/errors.ts';
import type { Plan } from '../../run/plan/types.ts';
import { useFormErrors } from '../controls/useField.ts';
import { useApp } from '../store.ts';

/** The plan of the settings in the form, or why there is none. */
export function usePlan(): Plan | string {
  const form = useApp((state) => state.form);
  const errors = useFormErrors();
  const controller = useApp((state) => state.controller);
  // A model that has come, or another device, makes another plan.
  useApp((state) => state.snapshot.modelName);
  useApp((state) => state.snapshot.backend);
  useApp((state) => state.snapshot.step);
  if (errors.size > 0) return 'Some settings have values that can’t be used. Correct them first.';
  try {
    return controller?.plan(form) ?? 'The plan appears when the model is loaded.';
  } catch (error) {
    return messageOf(error);
  }
}
