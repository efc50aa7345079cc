import { messageOf } from '@rl-playground/base/errors';
import { parameterCount } from '@rl-playground/engine/parts';
import { largeModelSettings } from '@rl-playground/run/models';
import { planOfModel, type Plan, type PlannedModel } from '@rl-playground/run/plan';
import type { RunConfig } from '@rl-playground/run/settings';
import { useForm } from '../form/formStore.ts';
import { formErrors } from '../form/settings.ts';
import { useRun } from '../state/runStore.ts';

/** The plan of a run of the form's settings from a model, as a large model changes them, or the reason why there is none. */
export function usePlanOf(): (model: PlannedModel, settings?: Partial<RunConfig>) => Plan | string {
  const form = useForm((state) => state.form);
  const backend = useRun((state) => state.snapshot.backend);
  return (model, settings = {}) => {
    if (backend === null || formErrors(form).size > 0)
      return 'Some settings have values that can’t be used. Correct them first.';
    try {
      return planOfModel(model, backend, {
        ...form,
        ...largeModelSettings(parameterCount(model.config), form),
        ...settings,
      });
    } catch (error) {
      return messageOf(error);
    }
  };
}
