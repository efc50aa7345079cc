/** A chart of metrics over the steps of the current run, with other runs beside it. */
import { memo, useCallback, useDeferredValue, useMemo, type ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts, type Arm } from '../arms/chartsStore.ts';
import { useDrawnArms } from '../arms/drawnArms.ts';
import { sftSpan, type SftSpan } from './axes.ts';
import { ChartPanel } from './ChartPanel.tsx';
import type { NamedRun } from './csv.ts';
import type { ChartSpec } from './specs/spec.ts';
import { otherSeries, overlaysOf, ownSeries } from './stepSeries.ts';

/** The arms beside the current run, which a chart draws itself. */
function useOtherArms(): readonly Arm[] {
  const arms = useDrawnArms();
  const recorded = useCharts((state) => state.recorded);
  const run = useRun(({ snapshot }) => snapshot.run);
  return useMemo(() => {
    const others = arms.filter(({ runs }) => runs.length !== 1 || runs[0] !== run);
    return recorded === null ? others : [...others, recorded];
  }, [arms, recorded, run]);
}

/** The horizontal axis of the current run, with `arms` beside it: its warm-up, then all its steps. Its right end is the end of the run, so that the curves also show how much is left. */
function useStepAxis(arms: readonly Arm[]): { readonly lastStep: number; readonly span: SftSpan } {
  const own = useRun(({ snapshot }) => Math.max(snapshot.totalSteps, snapshot.metrics.at(-1)?.step ?? 1));
  const others = arms.flatMap(({ records }) => records.map(({ metrics }) => metrics.at(-1)?.step ?? 1));
  const lastStep = Math.max(own, ...others);
  const updates = useRun(({ snapshot: { sft } }) => Math.max(sft.total, sft.losses.length));
  return { lastStep, span: useMemo(() => sftSpan(updates, lastStep), [updates, lastStep]) };
}

/** The current run and those beside it, each seed separately. */
function runsOf({ metrics, evaluations, config, arms }: DrawnChartProps): readonly NamedRun[] {
  const own = { name: 'this run', seed: config?.seed ?? null, metrics, evaluations };
  const others = arms.flatMap(({ name, records }) =>
    records.map((record) => ({ ...record, name, seed: record.config.seed })),
  );
  return metrics.length + evaluations.length > 0 ? [own, ...others] : others;
}

interface DrawnChartProps extends ReturnType<typeof useStepAxis> {
  readonly spec: ChartSpec;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  readonly config: RunConfig | null;
  readonly arms: readonly Arm[];
  /** The arm that others are compared with. */
  readonly pinned: string | null;
}

const DrawnChart = memo(function DrawnChart(props: DrawnChartProps): ReactNode {
  const { spec, metrics, evaluations, config, arms, pinned, lastStep, span } = props;
  const series = useCallback(
    () => ownSeries(spec, { metrics, evaluations }, span),
    [spec, metrics, evaluations, span],
  );
  const said = spec.remark?.(metrics, config) ?? null;
  return (
    <ChartPanel
      spec={spec}
      series={series}
      others={useMemo(() => otherSeries(spec, arms), [spec, arms])}
      overlays={useMemo(() => overlaysOf(spec, arms, pinned), [arms, pinned, spec])}
      lastStep={lastStep}
      span={span}
      table={async () => (await import('./csv.ts')).stepTable(spec, runsOf(props))}
      remark={
        spec.remark !== undefined && (
          <p>
            <b role="status">{said?.spoken}</b> {said?.text}
          </p>
        )
      }
    />
  );
});

/** A chart of one metric, with its value in the corner, or of several metrics, with a key. */
export function StepChart({ spec }: { spec: ChartSpec }): ReactNode {
  const run = useRun(
    useShallow(({ snapshot: { metrics, evaluations, config } }) => ({ metrics, evaluations, config })),
  );
  const arms = useOtherArms();
  const { lastStep, span } = useStepAxis(arms);
  const pinned = useCharts((state) => state.pinned);
  const inputs = useMemo(
    () => ({ spec, ...run, lastStep, span, arms, pinned }),
    [spec, run, lastStep, span, arms, pinned],
  );
  return <DrawnChart {...useDeferredValue(inputs)} />;
}
