import { Suspense, lazy, useMemo } from 'react';
import type { ReactNode } from 'react';
import { seriesRows } from '../lib/seriesRows.ts';
import { useApp } from '../store.ts';
import { MetricMark } from './MetricMark.tsx';
import { metricTexts } from './metricText.ts';
import type { SeriesChart } from './more/spec.ts';
import classes from './charts.module.css';

const SeriesPlot = lazy(async () => ({ default: (await import('./SeriesPlot.tsx')).SeriesPlot }));

interface CurveNow {
  readonly name: string;
  readonly colour: string;
  /** Its value at the latest step, in words. */
  readonly now: string;
}

/** The curves with their values now. */
function Key({ curves }: { curves: readonly CurveNow[] }): ReactNode {
  return (
    <p className={classes.key}>
      {curves.map(({ name, colour, now }) => (
        <span key={name}>
          <span className={classes.swatch} style={{ background: colour }} />
          {name} <span className="number">{now}</span>
        </span>
      ))}
    </p>
  );
}

/** Some metrics of the run at hand over its steps; nothing where the run has none of them. */
export function SeriesPanel({ chart }: { chart: SeriesChart }): ReactNode {
  const { metrics, totalSteps, config } = useApp((state) => state.snapshot);
  const rows = useMemo(
    () =>
      seriesRows(
        metrics,
        chart.curves.map(({ value }) => value),
      ),
    [chart, metrics],
  );
  const shown = chart.worthwhile === undefined ? rows.length > 0 : metrics.some(chart.worthwhile);
  if (metrics.length > 0 && !shown) return null;
  const last = metrics.at(-1);
  const remark = chart.remark?.(metrics, config) ?? null;
  const present = chart.curves
    .filter((_, index) => rows.some(({ values }) => values[index] !== null))
    .map(({ name, colour, value }) => ({
      name,
      colour,
      now: chart.format(last === undefined ? null : value(last)),
    }));
  const waiting = (
    <p className={classes.waiting}>
      <span>{chart.reading} One point per step will appear here.</span>
    </p>
  );
  return (
    <figure
      className={`panel ${classes.chart}`}
      aria-label={
        last === undefined
          ? `${chart.title}: no steps yet.`
          : `${chart.title}: ${present.map(({ name, now }) => `${name} ${now}`).join(', ')} at step ${last.step}.`
      }
      data-testid={`chart-${chart.id}`}
      data-points={metrics.length}
    >
      <figcaption className={classes.caption}>
        <span className={classes.names}>
          <span className="panel-title">{chart.title}</span>
          <span className={classes.unit}>{chart.unit}</span>
        </span>
        <MetricMark texts={[...metricTexts(chart.metrics), ...(chart.more ?? [])]} />
      </figcaption>
      <div className={classes.plot}>
        {rows.length === 0 ? (
          waiting
        ) : (
          <Suspense fallback={waiting}>
            <SeriesPlot chart={chart} rows={rows} lastStep={Math.max(totalSteps, last?.step ?? 1)} />
          </Suspense>
        )}
      </div>
      {rows.length > 0 && (
        <>
          <Key curves={present} />
          <p className={classes.reading}>{chart.reading}</p>
        </>
      )}
      {chart.remark !== undefined && (
        <p className={classes.remark}>
          <b role="status">{remark?.spoken}</b> {remark?.text}
        </p>
      )}
    </figure>
  );
}
