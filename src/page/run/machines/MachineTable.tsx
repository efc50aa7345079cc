/** The machines of the run: their speed, their share of the answers, the distance of their log-probabilities from the trainer's, and their state. */
import type { ReactNode } from 'react';
import type { GapPoint, MachineRecord } from '@rl-playground/machines';
import type { OwnShare } from '@rl-playground/machines/pool';
import { compact, count, percent } from '../../ui/text/format.ts';
import { Columns } from '../../ui/parts/words.tsx';
import tables from '../../ui/style/table.module.css';
import classes from './machines.module.css';

/** The ends of the logarithmic scale of |Δ log p|, in nats. */
const [SMALLEST, LARGEST] = [1e-8, 1];

/** The place of a distance on the scale, from 0 to 1. */
const placeOf = (gap: number): number =>
  Math.min(1, Math.max(0, Math.log10(gap / SMALLEST) / Math.log10(LARGEST / SMALLEST)));

const [WIDTH, HEIGHT] = [90, 24];

/** The largest distance with each version of the weights, from the first to the newest. */
function GapChart({ gaps }: { gaps: readonly GapPoint[] }): ReactNode {
  if (gaps.length < 2) return null;
  const points = gaps.map(({ largest }, i) => {
    const [x, y] = [(WIDTH * i) / (gaps.length - 1), HEIGHT * (1 - placeOf(largest))];
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const [first, last] = [gaps.at(0)?.version, gaps.at(-1)?.version];
  return (
    <svg
      className={classes.course}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`The largest |Δ log p| with weights ${first} to ${last}`}
      data-testid="gap-chart"
    >
      <polyline points={points.join(' ')} />
    </svg>
  );
}

/** The largest distance as a bar and the mean as a line, on a logarithmic scale. */
function Gap({ largestGap: largest, meanGap: mean, gaps }: MachineRecord): ReactNode {
  return (
    <>
      {compact(largest)}
      <span className={classes.bar} aria-hidden="true">
        <span className={classes.filled} style={{ width: percent(placeOf(largest), 0) }} />
        {mean > 0 && <span className={classes.mean} style={{ left: percent(placeOf(mean), 0) }} />}
      </span>
      <GapChart gaps={gaps} />
    </>
  );
}

function stateOf({ here, dropped }: MachineRecord): string {
  if (dropped !== null) return `dropped: ${dropped}`;
  return here ? 'here' : 'gone';
}

interface RowProps {
  readonly all: number;
  readonly answers: number;
  readonly tokensPerSecond: number;
  readonly gap: ReactNode;
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
  const { id, name, computation, tokens, replayed } = machine;
  const state = stateOf(machine);
  return (
    <tr data-testid="machine" data-name={name} data-state={machine.dropped ? 'dropped' : state}>
      <th scope="row" title={id}>
        {name}
        <span className={classes.computation}>{computation}</span>
      </th>
      <Cells
        {...machine}
        all={all}
        gap={tokens === 0 ? '–' : <Gap {...machine} />}
        checked={count(replayed)}
        state={state}
      />
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
        |Δ log p| is the largest distance of a token’s log-probability from the trainer’s own, in nats, on a
        scale from {SMALLEST.toExponential(0)} to {LARGEST}; the mark is the mean, and the line the largest
        step by step. “Checked” counts the answers that this page has drawn again.
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
