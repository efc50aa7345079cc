import { Suspense, lazy, useMemo } from 'react';
import type { ReactNode } from 'react';
import { fixed } from '../lib/format.ts';
import { chartRows } from '../lib/series.ts';
import { useApp } from '../store.ts';
import type { ChartSpec } from './chartSpecs.ts';
import classes from './charts.module.css';

const LinePlot = lazy(async () => ({ default: (await import('./LinePlot.tsx')).LinePlot }));

const SPEC: Omit<ChartSpec, 'value'> = {
  id: 'warm-start',
  title: 'Warm start',
  unit: 'loss, nats per token',
  reading:
    'How surprising worked answers still are. They are imperfect on purpose, so it does not reach zero.',
  colour: 'var(--series-other)',
  range: [0, null],
  format: (value) => fixed(value, 3),
  tick: (value) => fixed(value, 1),
};

/** The loss of the supervised updates before reinforcement; nothing for a run without them. */
export function WarmStartChart(): ReactNode {
  const { losses, total } = useApp((state) => state.snapshot.warmStart);
  const rows = useMemo(() => chartRows(losses.map((value, i) => ({ step: i + 1, value }))), [losses]);
  const last = losses.at(-1);
  if (last === undefined) return null;
  const now = SPEC.format(last);
  return (
    <figure
      className={`panel ${classes.chart}`}
      aria-label={`${SPEC.title}: loss ${now} after ${losses.length} of ${total} updates.`}
      data-testid="chart-warm-start"
      data-points={losses.length}
    >
      <figcaption className={classes.caption}>
        <span className={classes.names}>
          <span className="panel-title">{SPEC.title}</span>
          <span className={classes.unit}>{SPEC.unit}</span>
        </span>
        <span className={`number ${classes.now}`}>{now}</span>
      </figcaption>
      <div className={classes.plot}>
        <Suspense fallback={null}>
          <LinePlot spec={SPEC} rows={rows} lastStep={Math.max(total, losses.length)} synced={false} />
        </Suspense>
      </div>
      <p className={classes.reading}>{SPEC.reading}</p>
    </figure>
  );
}
