/** The machines of the run: their speed, their share of the answers, the distance of their log-probabilities from the trainer's, and their state. */
import type { ReactNode } from 'react';
import type { MachineRecord } from '@rl-playground/machines';
import type { OwnShare } from '@rl-playground/machines/pool';
import { compact, count, percent } from '../../ui/text/format.ts';
import { Columns } from '../../ui/parts/words.tsx';
import tables from '../../ui/style/table.module.css';
import classes from './machines.module.css';

/** The largest and the mean distance. */
const gapText = ({ tokens, largestGap, meanGap }: MachineRecord): string =>
  tokens === 0 ? '–' : `${compact(largestGap)}, mean ${compact(meanGap)}`;

function stateOf({ here, dropped }: MachineRecord): string {
  if (dropped !== null) return `dropped: ${dropped}`;
  return here ? 'here' : 'gone';
}

interface RowProps {
  readonly all: number;
  readonly answers: number;
  readonly tokensPerSecond: number;
  readonly gap: string;
  readonly checked: string;
  readonly state: string;
}

/** The cells behind the name of a machine. */
function Cells({ all, answers, tokensPerSecond, gap, checked, state }: RowProps): ReactNode {
  return (
    <>
      <td data-label="Tokens/s">{answers === 0 ? '–' : count(Math.round(tokensPerSecond))}</td>
      <td data-label="Answers">
        {percent(all === 0 ? null : answers / all, 0)}
        <span className={classes.computation}>{count(answers)}</span>
      </td>
      <td data-label="|Δ log p|">{gap}</td>
      <td data-label="Checked">{checked}</td>
      <td data-label="State" className={classes.state}>
        {state}
      </td>
    </>
  );
}

function MachineRow({ machine, all }: { machine: MachineRecord; all: number }): ReactNode {
  const { id, name, computation, replayed } = machine;
  const state = stateOf(machine);
  return (
    <tr data-testid="machine" data-name={name} data-state={machine.dropped ? 'dropped' : state}>
      <th scope="row" title={id}>
        {name}
        <span className={classes.computation}>{computation}</span>
      </th>
      <Cells {...machine} all={all} gap={gapText(machine)} checked={count(replayed)} state={state} />
    </tr>
  );
}

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
  const all = machines.reduce((sum, { answers }) => sum + answers, own?.answers ?? 0);
  return (
    <table className={`${tables.table} ${tables.stacked}`} data-testid="machines">
      <caption>
        |Δ log p| is the largest distance of a token’s log-probability from the trainer’s own, in nats.
        “Checked” counts the answers that this page has drawn again.
      </caption>
      <Columns names={['Machine', 'Tokens/s', 'Answers', '|Δ log p|', 'Checked', 'State']} />
      <tbody>
        {own !== null && (
          <tr data-testid="own-machine">
            <th scope="row">This page</th>
            <Cells
              {...own}
              all={all}
              tokensPerSecond={own.tokens / Math.max(own.busySeconds, 1e-3)}
              gap="–"
              checked="–"
              state="here"
            />
          </tr>
        )}
        {machines.map((machine) => (
          <MachineRow key={machine.id} machine={machine} all={all} />
        ))}
      </tbody>
    </table>
  );
}
