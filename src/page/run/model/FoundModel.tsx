import type { ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import type { RunConfig } from '@rl-playground/run/settings';
import { parameterCount } from '@rl-playground/engine/parts';
import { loraSettings, loraText, largeModelSettings } from '@rl-playground/run/models';
import { planOfModel, type Plan, type PlannedModel } from '@rl-playground/run/plan';
import { parameterCount as parametersText } from '../../ui/text/format.ts';
import { formErrors } from '../form/settings.ts';
import { PlanView } from '../plan/PlanTable.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Facts } from '../../ui/parts/words.tsx';
import { useForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';
import { useHub } from './hubStore.ts';
import { load } from './modelActions.ts';
import classes from './model.module.css';

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

/** The model that was looked up, with what it needs and the button that loads it. */
export function FoundModel(): ReactNode {
  const { found, work } = useHub((state) => state.models);
  const planOf = usePlanOf();
  if (found === null) return null;
  const { remote, adapter, config, planned } = found;
  const bytes = remote.bytes + (adapter?.remote.bytes ?? 0);
  const plan = planOf(planned, adapter ? loraSettings(adapter.settings) : {});
  const facts: readonly (readonly [name: string, value: string])[] = [
    ...(adapter ? [['Adapter', `${adapter.remote.label}: ${loraText(adapter.settings)}`] as const] : []),
    ['Architecture', config.modelType],
    ['Parameters', parametersText(parameterCount(config))],
    ['Stored in', planned.storedType],
    ['Files', `${remote.files.length}, ${bytesText(remote.bytes)} together`],
    ['Commit', remote.origin.commit ?? 'none: a folder of a server'],
  ];
  const fits = typeof plan === 'string' || plan.fits;
  return (
    <section className="stack wide" aria-label={remote.label} data-testid="found-model">
      <h3 className={classes.heading}>{remote.label}</h3>
      <Facts entries={facts} />
      {typeof plan === 'string' ? <p className="quiet">{plan}</p> : <PlanView plan={plan} />}
      <div>
        <ActionButton usable={work === null} onClick={() => void load()} data-testid="model-load">
          {fits ? `Load ${bytesText(bytes)}` : `Load ${bytesText(bytes)} anyway`}
        </ActionButton>
      </div>
    </section>
  );
}
