/** The runs that the charts of the present task draw. */
import { useMemo } from 'react';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { asksTheSame, useCharts, type Arm, type Asked } from './chartsStore.ts';

/** The settings that the charts are about: those of the run on the page or, before there is one, of the form. */
export function useAsked(): Asked {
  const config = useRun(({ snapshot }) => snapshot.config);
  const task = useForm(({ form }) => form.task);
  const taskConfig = useForm(({ form }) => form.taskConfig);
  const mixture = useForm(({ form }) => form.mixture);
  return useMemo(() => config ?? { task, taskConfig, mixture }, [config, task, taskConfig, mixture]);
}

/** The runs that a person ticked, without those of another task. */
export function useDrawnArms(): readonly Arm[] {
  const arms = useCharts((state) => state.arms);
  const asked = useAsked();
  return useMemo(
    () => arms.filter(({ records }) => records.every(({ config }) => asksTheSame(config, asked))),
    [arms, asked],
  );
}
