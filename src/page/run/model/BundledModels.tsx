import type { ReactNode } from 'react';
import { BUNDLED_FACTS } from '@rl-playground/run/models';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Columns } from '../../ui/parts/words.tsx';
import { parameterCount } from '../../ui/text/format.ts';
import { useForm } from '../form/formStore.ts';
import { touchesLocked } from '../form/locks.ts';
import { useRun } from '../state/runStore.ts';
import { useHub } from './hubStore.ts';
import { loadBundled } from './modelActions.ts';
import tables from '../../ui/style/table.module.css';
import classes from './model.module.css';

/** The models that come with the page, with what they are for. */
export function BundledModels(): ReactNode {
  const work = useHub((state) => state.models.work);
  const loaded = useRun(({ snapshot }) => (snapshot.modelIsOurs ? snapshot.modelName : null));
  const locked = useForm(({ classroom }) => touchesLocked(['model'], classroom.locked));
  return (
    <section aria-label="Bundled with this page">
      <h3 className={classes.heading}>
        Bundled with this page <span className="quiet">about 1 MB each</span>
      </h3>
      <table className={`${tables.table} ${tables.stacked}`}>
        <Columns names={['Model', 'Parameters', 'What it is for']} />
        <tbody>
          {Object.entries(BUNDLED_FACTS).map(([name, { parameters, use }]) => (
            <tr key={name} data-testid="bundled-model">
              <th scope="row">
                <ActionButton
                  usable={work === null && !locked && loaded !== name}
                  aria-label={loaded === name ? `${name} is loaded` : `Load ${name}`}
                  onClick={() => void loadBundled(name)}
                >
                  {name}
                </ActionButton>
              </th>
              <td data-label="Parameters">{parameterCount(parameters)}</td>
              <td data-label="What it is for">
                {use}
                {loaded === name && <b> (loaded now)</b>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
