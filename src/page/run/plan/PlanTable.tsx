import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import type { RunConfig } from '@rl-playground/run/settings';
import type { Plan } from '@rl-playground/run/plan';
import { touchesLocked } from '../form/locks.ts';
import { openHelp } from '../../ui/open/openStore.ts';
import { ActionButton, LinkButton } from '../../ui/parts/buttons.tsx';
import { useForm, changeForm } from '../form/formStore.ts';
import { usePlan } from './usePlan.ts';
import { Columns } from '../../ui/parts/words.tsx';
import tables from '../../ui/style/table.module.css';

const size = (bytes: number | null): string => (bytes === null ? 'unknown' : bytesText(bytes));

function Advice({ text, settings }: { text: string; settings: Partial<RunConfig> }): ReactNode {
  const locked = useForm((state) => state.classroom.locked);
  return (
    <li>
      {text}{' '}
      {!touchesLocked(Object.keys(settings), locked) && (
        <ActionButton onClick={() => changeForm((form) => ({ ...form, ...settings }))}>Apply</ActionButton>
      )}
    </li>
  );
}

/** The memory of the run, recomputed at each change of a setting. */
export function PlanTable(): ReactNode {
  const plan = usePlan();
  return typeof plan === 'string' ? <p className="quiet">{plan}</p> : <PlanView plan={plan} />;
}

/** The items of a plan, their sums, and what would make it fit. */
export function PlanView({ plan }: { readonly plan: Plan }): ReactNode {
  const { items, peak, limits, fits, advice, step } = plan;
  return (
    <div data-testid="plan" data-fits={fits}>
      <table className={`${tables.table} ${tables.figures}`}>
        <caption className="quiet">{step.text}</caption>
        <Columns names={['At the peak', 'GPU', 'Host']} />
        <tbody>
          {items.map(({ name, where, bytes }) => (
            <tr key={`${where} ${name}`}>
              <th scope="row">{name}</th>
              <td>{where === 'gpu' ? bytesText(bytes) : ''}</td>
              <td>{where === 'host' ? bytesText(bytes) : ''}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">total</th>
            <td>{bytesText(peak.gpu)}</td>
            <td>{bytesText(peak.host)}</td>
          </tr>
          <tr>
            <th scope="row">available</th>
            <td>{size(limits.gpuBytes)}</td>
            <td>{size(limits.hostBytes)}</td>
          </tr>
        </tfoot>
      </table>
      {step.seconds === null && (
        <LinkButton aria-haspopup="dialog" onClick={() => openHelp('benchmark')}>
          Benchmark this machine
        </LinkButton>
      )}
      {!fits && (
        <div role="status">
          <p>This probably does not fit. These changes would help:</p>
          <ul>
            {advice.map(({ text, settings }) => (
              <Advice key={text} text={text} settings={settings} />
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
