import { Suspense, lazy, useMemo } from 'react';
import type { ReactNode } from 'react';
import type { EvalResult, StepMetrics } from '../../rl/types.ts';
import { chartRows } from '../lib/series.ts';
import { stepPosition } from '../lib/warmUpSpan.ts';
import { useWarmUpSpan } from './useWarmUpSpan.ts';
import type { ChartSpec } from './chartSpecs.ts';
import { MetricMark } from './MetricMark.tsx';
import { metricTexts } from './metricText.ts';
import classes from './charts.module.css';

const LinePlot = lazy(async () => ({ default: (await import('./LinePlot.tsx')).LinePlot }));

interface ChartPanelProps {
  readonly spec: ChartSpec;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  readonly totalSteps: number;
}

function summary(spec: ChartSpec, metrics: readonly StepMetrics[]): string {
  const first = metrics[0];
  const last = metrics.at(-1);
  if (first === undefined || last === undefined) return `${spec.title}: no steps yet.`;
  const now = `${spec.title}: ${spec.format(spec.value(last))} at step ${last.step}`;
  return metrics.length === 1
    ? `${now}.`
    : `${now}, ${spec.format(spec.value(first))} at step ${first.step}.`;
}

/** One metric over the steps: its name, its value now, and the curve or, before the first step, what it will show. */
export function ChartPanel({ spec, metrics, evaluations, totalSteps }: ChartPanelProps): ReactNode {
  const lastStep = Math.max(totalSteps, metrics.at(-1)?.step ?? 1);
  const span = useWarmUpSpan(lastStep);
  const rows = useMemo(() => {
    const { evaluation } = spec;
    return chartRows(
      metrics.map((each) => ({ step: each.step, value: spec.value(each) })),
      evaluation === undefined
        ? []
        : evaluations.map((each) => ({ step: stepPosition(each.step, span), value: evaluation(each) })),
      spec.exact === true ? { beta: 0 } : {},
    );
  }, [spec, metrics, evaluations, span]);
  const last = metrics.at(-1);
  const waiting = (
    <p className={classes.waiting}>
      <span>{spec.reading} One point per step will appear here.</span>
    </p>
  );
  return (
    <figure
      className={`panel ${classes.chart}`}
      aria-label={summary(spec, metrics)}
      data-testid={`chart-${spec.id}`}
      data-points={metrics.length}
    >
      <figcaption className={classes.caption}>
        <span className={classes.names}>
          <span className="panel-title">{spec.title}</span>
          <span className={classes.unit}>{spec.unit}</span>
        </span>
        <span className={classes.corner}>
          {last !== undefined && (
            <span className={`number ${classes.now}`} style={{ color: spec.colour }}>
              {spec.format(spec.value(last))}
            </span>
          )}
          {spec.metric !== undefined && <MetricMark texts={metricTexts([spec.metric])} />}
        </span>
      </figcaption>
      <div className={classes.plot}>
        {rows.length === 0 ? (
          waiting
        ) : (
          <Suspense fallback={waiting}>
            <LinePlot spec={spec} rows={rows} lastStep={lastStep} />
          </Suspense>
        )}
      </div>
      {rows.length > 0 && <p className={classes.reading}>{spec.reading}</p>}
    </figure>
  );
}
