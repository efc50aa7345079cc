/** The machines of the run: speed, share of the answers, how far their log-probabilities are from the trainer's, and who was dropped. */
import type { ReactNode } from 'react';
import type { GapPoint, MachineRecord } from '@rl-playground/machines';
import type { OwnShare } from '@rl-playground/machines/pool';
import { compact, count, percent } from '../../ui/text/format.ts';
import tables from '../../ui/style/table.module.css';
import classes from './machines.module.css';

/** Ends of the logarithmic scale of |Δ log p|; nats. */
const [SMALLEST, LARGEST] = [1e-8, 1];

/** Where on the scale, from 0 to 1. */
const placeOf = (gap: number): number =>
  Math.min(1, Math.max(0, Math.log10(gap / SMALLEST) / Math.log10(LARGEST / SMALLEST)));

const [WIDTH, HEIGHT] = [90, 24];

/** The largest of each version of the weights, from the first to the newest, on the same scale upwards. */
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

/** A bar for the largest and a line for the mean, both on a logarithmic scale. */
function Gap({ largestGap: largest, meanGap: mean, gaps }: MachineRecord): ReactNode {
  return (
    <>
      <span className={classes.figure}>{compact(largest)}</span>
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

function MachineRow({ machine, all }: { machine: MachineRecord; all: number }): ReactNode {
  const { id, name, computation, answers, tokens, tokensPerSecond, replayed } = machine;
  return (
    <tr data-testid="machine" data-name={name} data-state={machine.dropped ? 'dropped' : stateOf(machine)}>
      <th scope="row" title={id}>
        {name}
        <span className={classes.computation}>{computation}</span>
      </th>
      <td data-label="Tokens/s">{answers === 0 ? '–' : count(Math.round(tokensPerSecond))}</td>
      <td data-label="Answers">
        {percent(all === 0 ? null : answers / all, 0)}
        <span className={classes.computation}>{count(answers)}</span>
      </td>
      <td data-label="|Δ log p|">{tokens === 0 ? '–' : <Gap {...machine} />}</td>
      <td data-label="Checked">{count(replayed)}</td>
      <td data-label="State" className={classes.state}>
        {stateOf(machine)}
      </td>
    </tr>
  );
}

function OwnRow({ own, all }: { own: OwnShare; all: number }): ReactNode {
  const { answers, tokens, busySeconds } = own;
  return (
    <tr data-testid="own-machine">
      <th scope="row">This page</th>
      <td data-label="Tokens/s">
        {answers === 0 ? '–' : count(Math.round(tokens / Math.max(busySeconds, 1e-3)))}
      </td>
      <td data-label="Answers">
        {percent(all === 0 ? null : answers / all, 0)}
        <span className={classes.computation}>{count(answers)}</span>
      </td>
      <td data-label="|Δ log p|">–</td>
      <td data-label="Checked">–</td>
      <td data-label="State" className={classes.state}>
        here
      </td>
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
        step by step. “Checked” are answers whose draws were made again here.
      </caption>
      <thead>
        <tr>
          <th scope="col">Machine</th>
          <th scope="col">Tokens/s</th>
          <th scope="col">Answers</th>
          <th scope="col">|Δ log p|</th>
          <th scope="col">Checked</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {own !== null && <OwnRow own={own} all={all} />}
        {machines.map((machine) => (
          <MachineRow key={machine.id} machine={machine} all={all} />
        ))}
      </tbody>
    </table>
  );
}
