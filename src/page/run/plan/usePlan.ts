import { useEffect, useState } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import type { Plan } from '@rl-playground/run/plan';
import { useFormErrors } from '../form/useField.ts';
import { useForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';
import { useOpen } from '../../ui/open/openStore.ts';

/** The plan of the settings in the form, or the reason why there is none. It follows a change after a moment. */
export function usePlan(): Plan | string {
  const form = useForm((state) => state.form);
  const reward = useForm((state) => state.reward.ready);
  const invalid = useFormErrors().size > 0;
  const controller = useRun((state) => state.controller);
  const modelName = useRun((state) => state.snapshot.modelName);
  const backend = useRun((state) => state.snapshot.backend);
  const step = useRun((state) => state.snapshot.step);
  const measured = useOpen((state) => state.help !== 'benchmark');
  const [found, setFound] = useState<Plan | string | null>(null);
  useEffect(() => {
    if (invalid || controller === null) return undefined;
    let isWanted = true;
    const plan = async (): Promise<void> => {
      const next = await controller.start.plan(form).catch(messageOf);
      if (isWanted) setFound(next);
    };
    void plan();
    return () => {
      isWanted = false;
    };
    // A model that has come, to train or to reward, another device, and a step or a machine that was measured make another plan.
  }, [form, invalid, controller, modelName, backend, step, reward, measured]);
  if (invalid) return 'Some settings have values that can’t be used. Correct them first.';
  return found ?? (modelName === null ? 'The plan appears when the model is loaded.' : 'Making the plan…');
}
