/** A chart of metrics over the steps of the current run, with other runs beside it. */
import { memo, useDeferredValue, useMemo, type ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts, type Arm } from '../arms/chartsStore.ts';
import { sftSpan } from './axes.ts';
import { ChartPanel, type StepAxis } from './ChartPanel.tsx';
import { stepTable, type NamedRun, type Table } from './csv.ts';
import { curveInWords } from './describe.ts';
import { chartRows } from './specs/rows.ts';
import type { ChartSpec } from './specs/spec.ts';
import { otherSeries, overlaysOf, ownSeries } from './stepSeries.ts';
import classes from './charts.module.css';

/** The most points of each curve where several runs are drawn, and of all curves together. */
const POINTS_PER_CURVE = 60;
const MOST_POINTS = 480;

/** The arms beside the current run, which a chart draws itself. */
function useOtherArms(): readonly Arm[] {
  const arms = useCharts((state) => state.arms);
  const recorded = useCharts((state) => state.recorded);
  const run = useRun(({ snapshot }) => snapshot.run);
  return useMemo(() => {
    const others = arms.filter(({ runs }) => runs.length !== 1 || runs[0] !== run);
    return recorded === null ? others : [...others, recorded];
  }, [arms, recorded, run]);
}

/** The horizontal axis of the current run: its warm-up, then all its steps. */
export function useStepAxis(): StepAxis {
  const own = useRun(({ snapshot }) => Math.max(snapshot.totalSteps, snapshot.metrics.at(-1)?.step ?? 1));
  const others = useCharts(({ arms, recorded }) =>
    Math.max(
      1,
      ...[...arms, ...(recorded === null ? [] : [recorded])].flatMap(({ records }) =>
        records.map(({ metrics }) => metrics.at(-1)?.step ?? 1),
      ),
    ),
  );
  const lastStep = Math.max(own, others);
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

interface DrawnChartProps extends StepAxis {
  readonly spec: ChartSpec;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  readonly config: RunConfig | null;
  readonly arms: readonly Arm[];
  /** The arm that others are compared with. */
  readonly pinned: string | null;
  readonly smoothing: number;
}

const DrawnChart = memo(function DrawnChart(props: DrawnChartProps): ReactNode {
  const { spec, metrics, evaluations, config, arms, pinned, smoothing, lastStep, span } = props;
  const last = metrics.at(-1);
  const aboutOne = spec.shape === 'smoothed';
  const overlays = useMemo(() => overlaysOf(spec, arms, pinned), [arms, pinned, spec]);
  const others = useMemo(() => otherSeries(spec, arms), [spec, arms]);
  // Together, so that the points of all steps are not kept when both are made.
  const { rows, inWords } = useMemo(() => {
    const own = ownSeries(spec, { metrics, evaluations }, span);
    const all = [...own, ...others];
    const limit = Math.min(MOST_POINTS, POINTS_PER_CURVE * all.length);
    const words = spec.curves.map(({ name }, i) =>
      curveInWords(aboutOne ? spec.title : name, own[i]?.points ?? [], (value) => spec.format(value)),
    );
    return {
      rows: chartRows(all, { beta: smoothing, ...(others.length > 0 && { limit }) }),
      inWords: words.join(' '),
    };
  }, [spec, metrics, evaluations, span, others, smoothing, aboutOne]);
  const curvesNow = spec.curves.map(({ name, value }) => ({
    name,
    now: spec.format(last === undefined ? null : value(last)),
  }));
  const [first] = curvesNow;
  const shown = curvesNow.filter((_, index) => rows.some(({ curves }) => curves[index]?.value !== undefined));
  const said = spec.remark?.(metrics, config) ?? null;
  const table = (): Table => stepTable(spec, runsOf(props));
  return (
    <ChartPanel
      spec={spec}
      rows={rows}
      overlays={overlays}
      lastStep={lastStep}
      span={span}
      inWords={inWords}
      table={table}
      points={metrics.length}
      now={
        aboutOne && last !== undefined && first !== undefined
          ? { text: first.now, colour: spec.curves[0]?.colour }
          : undefined
      }
      {...(!aboutOne && { shown })}
      remark={
        spec.remark !== undefined && (
          <p className={classes.remark}>
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
  const { lastStep, span } = useStepAxis();
  const arms = useOtherArms();
  const pinned = useCharts((state) => state.pinned);
  const smoothing = useCharts((state) => state.smoothing);
  const inputs = useMemo(
    () => ({ spec, ...run, lastStep, span, arms, pinned, smoothing }),
    [spec, run, lastStep, span, arms, pinned, smoothing],
  );
  return <DrawnChart {...useDeferredValue(inputs)} />;
}
