import { ScrollArea } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { settingText, type MeasureName, type SweepRow } from '../../run/sweeps/sweepTable.ts';
import { parallelAxes } from './parallel.ts';
import classes from './sweeps.module.css';

const [WIDTH, HEIGHT] = [150, 240];
const [SIDE, TOP, BOTTOM] = [70, 34, 16];

interface ParallelCoordinatesProps {
  readonly rows: readonly SweepRow[];
  readonly settings: readonly string[];
  readonly measure: MeasureName;
  /** What the measure is called. */
  readonly name: string;
  /** Rows that stand out; of none all do. */
  readonly marked: ReadonlySet<SweepRow>;
}

/** A line for each row of the table, from its settings to what came out: the better, the greener. */
export function ParallelCoordinates(props: ParallelCoordinatesProps): ReactNode {
  const { rows, settings, measure, name, marked } = props;
  const found = parallelAxes(rows, settings, measure, name);
  if (found === null) return <p className="quiet">No run has been evaluated so.</p>;
  const { axes } = found;
  const width = 2 * SIDE + WIDTH * (axes.length - 1);
  const x = (axis: number): number => SIDE + WIDTH * axis;
  const y = (at: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - at);
  const outcome = axes.at(-1);
  return (
    <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Parallel coordinates' }}>
      <svg
        role="img"
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        aria-label={`${plural(found.rows.length, 'line')} from ${settings.join(', ') || 'task'} to ${name}; the table has the same numbers`}
        data-testid="parallel"
      >
        {found.rows.map((row, i) => {
          const points = axes.map((axis, a) => `${x(a)},${y(axis.at[i] ?? 0)}`);
          const good = Math.round(100 * (outcome?.at[i] ?? 0));
          const faint = marked.size > 0 && !marked.has(row);
          const values = settings.map((each) => `${each} ${settingText(row.settings[each])}`);
          return (
            <polyline
              key={JSON.stringify([row.task, row.settings])}
              points={points.join(' ')}
              className={classes.line}
              style={{ stroke: `color-mix(in oklab, var(--good) ${good}%, var(--bad))` }}
              data-faint={faint || undefined}
            >
              <title>{`${[row.task, ...values].join(', ')}: ${row[measure].after?.mean.toFixed(3)}`}</title>
            </polyline>
          );
        })}
        {axes.map((axis, a) => (
          <g key={axis.name}>
            <line x1={x(a)} x2={x(a)} y1={y(0)} y2={y(1)} className={classes.axis} />
            <text x={x(a)} y={14} textAnchor="middle" className={classes.axisName}>
              {axis.name}
            </text>
            {axis.ticks.map(({ text, at }) => (
              <text
                key={text}
                x={x(a) + (axis === outcome ? 6 : -6)}
                y={y(at) + 4}
                textAnchor={axis === outcome ? 'start' : 'end'}
                className={classes.tick}
              >
                {text.length > 16 ? `${text.slice(0, 15)}…` : text}
              </text>
            ))}
          </g>
        ))}
      </svg>
    </ScrollArea>
  );
}
