import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { seriesRows } from './seriesRows.ts';
import { useApp } from '../store.ts';
import { lazyPart } from '../ui/lazyPart.tsx';
import { ChartFrame } from './ChartFrame.tsx';
import type { SeriesChart } from './specs/spec.ts';
import classes from './charts.module.css';

const SeriesPlot = lazyPart(async () => (await import('./SeriesPlot.tsx')).SeriesPlot);

interface CurveNow {
  readonly name: string;
  readonly colour: string;
  /** Its value at the latest step, in words. */
  readonly now: string;
}

/** The curves with their values now, and the level that matters. */
function Key({ curves, level }: { curves: readonly CurveNow[]; level: SeriesChart['level'] }): ReactNode {
  return (
    <p className={classes.key}>
      {curves.map(({ name, colour, now }) => (
        <span key={name}>
          <span className={classes.swatch} style={{ background: colour }} />
          {name} <span className="number">{now}</span>
        </span>
      ))}
      {level !== undefined && (
        <span>
          <span className={classes.level} />
          {level.label}
        </span>
      )}
    </p>
  );
}

/** Some metrics of the run at hand over its steps. */
export function SeriesPanel({ chart }: { chart: SeriesChart }): ReactNode {
  const { metrics, totalSteps, config } = useApp(
    useShallow(({ snapshot }) => ({
      metrics: snapshot.metrics,
      totalSteps: snapshot.totalSteps,
      config: snapshot.config,
    })),
  );
  const rows = useMemo(
    () =>
      seriesRows(
        metrics,
        chart.curves.map(({ value }) => value),
      ),
    [chart, metrics],
  );
  const last = metrics.at(-1);
  const remark = chart.remark?.(metrics, config) ?? null;
  const present = chart.curves
    .filter((_, index) => rows.some(({ values }) => values[index] !== null))
    .map(({ name, colour, value }) => ({
      name,
      colour,
      now: chart.format(last === undefined ? null : value(last)),
    }));
  return (
    <ChartFrame
      id={chart.id}
      title={chart.title}
      unit={chart.unit}
      reading={chart.reading}
      summary={
        last === undefined
          ? `${chart.title}: no steps yet.`
          : `${chart.title}: ${present.map(({ name, now }) => `${name} ${now}`).join(', ')} at step ${last.step}.`
      }
      points={metrics.length}
      metrics={chart.metrics}
      more={chart.more}
      plot={
        rows.length === 0 ? null : (
          <SeriesPlot chart={chart} rows={rows} lastStep={Math.max(totalSteps, last?.step ?? 1)} />
        )
      }
      legend={<Key curves={present} level={chart.level} />}
      remark={
        chart.remark !== undefined && (
          <p className={classes.remark}>
            <b role="status">{remark?.spoken}</b> {remark?.text}
          </p>
        )
      }
    />
  );
}
