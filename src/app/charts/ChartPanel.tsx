import { useMemo } from 'react';
import type { ReactNode } from 'react';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import type { StepMetrics } from '../../rl/metrics/index.ts';
import { chartRows } from './series.ts';
import { stepPosition } from './sftSpan.ts';
import { lazyPart } from '../ui/lazyPart.tsx';
import { ChartFrame } from './ChartFrame.tsx';
import type { ChartSpec } from './chartSpecs.ts';
import { useSftSpan } from './useSftSpan.ts';
import classes from './charts.module.css';

const LinePlot = lazyPart(async () => (await import('./LinePlot.tsx')).LinePlot);

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

/** One metric over the steps. */
export function ChartPanel({ spec, metrics, evaluations, totalSteps }: ChartPanelProps): ReactNode {
  const lastStep = Math.max(totalSteps, metrics.at(-1)?.step ?? 1);
  const span = useSftSpan(lastStep);
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
  return (
    <ChartFrame
      id={spec.id}
      title={spec.title}
      unit={spec.unit}
      reading={spec.reading}
      summary={summary(spec, metrics)}
      points={metrics.length}
      metrics={spec.metric === undefined ? [] : [spec.metric]}
      now={
        last !== undefined && (
          <span className={`number ${classes.now}`} style={{ color: spec.colour }}>
            {spec.format(spec.value(last))}
          </span>
        )
      }
      plot={rows.length === 0 ? null : <LinePlot spec={spec} rows={rows} lastStep={lastStep} />}
    />
  );
}
