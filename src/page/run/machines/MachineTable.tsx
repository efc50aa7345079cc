/** The machines of the run: their speed, their share of the answers, the distance of their log-probabilities from the trainer's, and their state. */
import type { ReactNode } from 'react';
import type { MachineRecord } from '@rl-playground/machines';
import type { OwnShare } from '@rl-playground/machines/pool';
import { compact, count, percent } from '../../ui/text/format.ts';
import { Columns } from '../../ui/parts/words.tsx';
import tables from '../../ui/style/table.module.css';

interface Row extends Pick<MachineRecord, 'id' | 'name' | 'answers' | 'tokensPerSecond'> {
  readonly computation?: string;
  /** The largest and the mean distance. */
  readonly gap: string;
  readonly checked: string;
  readonly state: string;
}

function rowOf(machine: MachineRecord): Row {
  const { here, dropped, tokens, largestGap, meanGap, replayed } = machine;
  return {
    ...machine,
    gap: tokens === 0 ? '–' : `${compact(largestGap)}, mean ${compact(meanGap)}`,
    checked: count(replayed),
    state: dropped !== null ? `dropped: ${dropped}` : here ? 'here' : 'gone',
  };
}

const rowOfPage = ({ answers, tokens, busySeconds }: OwnShare): Row => ({
  id: '',
  name: 'This page',
  answers,
  tokensPerSecond: tokens / Math.max(busySeconds, 1e-3),
  gap: '–',
  checked: '–',
  state: 'here',
});

interface MachineTableProps {
  readonly machines: readonly MachineRecord[];
  readonly own: OwnShare | null;
}

export function MachineTable({ machines, own }: MachineTableProps): ReactNode {
  if (machines.length === 0)
    return (
      <p className="quiet" data-testid="no-machines">
        No machine has joined this run yet.
      </p>
    );
  const rows = [...(own === null ? [] : [rowOfPage(own)]), ...machines.map(rowOf)];
  const all = rows.reduce((sum, { answers }) => sum + answers, 0);
  return (
    <table className={`${tables.table} ${tables.stacked}`} data-testid="machines">
      <caption>
        |Δ log p| is the largest distance of a token’s log-probability from the trainer’s own, in nats.
        “Checked” counts the answers that this page has sampled again.
      </caption>
      <Columns names={['Machine', 'Tokens/s', 'Answers', '|Δ log p|', 'Checked', 'State']} />
      <tbody>
        {rows.map(({ id, name, computation, answers, tokensPerSecond, gap, checked, state }) => (
          <tr key={id} data-testid="machine" data-name={name} data-state={state.split(':')[0]}>
            <th scope="row" title={id}>
              {name}
              <div className="quiet">{computation}</div>
            </th>
            <td data-label="Tokens/s">{answers === 0 ? '–' : count(Math.round(tokensPerSecond))}</td>
            <td data-label="Answers">
              {percent(all === 0 ? null : answers / all, 0)}
              <div className="quiet">{count(answers)}</div>
            </td>
            <td data-label="|Δ log p|">{gap}</td>
            <td data-label="Checked">{checked}</td>
            <td data-label="State" style={{ maxWidth: 220, overflowWrap: 'anywhere' }}>
              {state}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
