import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { parameterCount } from '@rl-playground/engine/parts';
import { loraSettings, loraText } from '@rl-playground/run/models';
import { parameterCount as parametersText } from '../../ui/text/format.ts';
import { PlanView } from '../plan/PlanTable.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Facts } from '../../ui/parts/words.tsx';
import { useHub } from './hubStore.ts';
import { load } from './modelActions.ts';
import { FormatTable } from './FormatTable.tsx';
import { usePlanOf } from './usePlanOf.ts';
import classes from './model.module.css';

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
      <FormatTable model={planned} />
    </section>
  );
}
