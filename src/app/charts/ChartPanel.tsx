/** The panel of a chart, and what fills it from the run: one place for all charts over the steps. */
import { Suspense, useMemo, type ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { StepMetrics } from '../../rl/metrics/index.ts';
import { useApp } from '../store.ts';
import { lazyPart } from '../ui/lazyPart.tsx';
import { sftSpan, stepPosition, type SftSpan } from './axes.ts';
import { armSeries, SERIES_PER_ARM } from '../compare/armSeries.ts';
import { useCompare, type Arm } from '../compare/compareStore.ts';
import type { Overlay } from './ChartPlot.tsx';
import { chartRows, type ChartRow } from './rows.ts';
import { SHARES, type ChartSpec, type Curve } from './spec.ts';
import classes from './charts.module.css';

const ChartPlot = lazyPart(async () => (await import('./ChartPlot.tsx')).ChartPlot);
const MetricMark = lazyPart(async () => (await import('./MetricMark.tsx')).MetricMark);

interface StepAxis {
  /** Right end of the horizontal axis: the whole run, so that the curves also show how much is left. */
  readonly lastStep: number;
  readonly span: SftSpan;
}

interface ChartPanelProps extends StepAxis {
  readonly spec: ChartSpec;
  /** Other runs beside the current one. */
  readonly overlays?: readonly Overlay[];
  /** None while there is nothing to draw. */
  readonly rows: readonly ChartRow[];
  /** All that the chart shows, in words. */
  readonly summary: string;
  /** Number of points along the horizontal axis; a chart of two stages also has those of the second. */
  readonly points: number;
  readonly steps?: number;
  /** The value now, in the corner. */
  readonly now?: { readonly text: string; readonly colour?: string | undefined } | undefined;
  /** What stands under the curves, before the line on how to read them, and after it. */
  readonly legend?: ReactNode;
  readonly remark?: ReactNode;
}

/** The panel of a chart: name, unit, value now, and the curves or, before the first step, what they will show. */
export function ChartPanel(props: ChartPanelProps): ReactNode {
  const { spec, rows, overlays, lastStep, span, summary, points, steps, now, legend, remark } = props;
  const { id, title, unit, reading, metrics, more = [] } = spec;
  const waiting = (
    <p className={classes.waiting}>
      <span>{reading} One point per step will appear here.</span>
    </p>
  );
  return (
    <figure
      className={`panel ${classes.chart}`}
      aria-label={summary}
      data-testid={`chart-${id}`}
      data-points={points}
      data-steps={steps}
    >
      <figcaption className={classes.caption}>
        <span className={classes.names}>
          <span className="panel-title">{title}</span>
          <span className={classes.unit}>{unit}</span>
        </span>
        <span className={classes.corner}>
          {now !== undefined && (
            <span className={`number ${classes.now}`} style={{ color: now.colour }}>
              {now.text}
            </span>
          )}
          {metrics.length + more.length > 0 && (
            <span className={classes.markPlace}>
              <Suspense>
                <MetricMark metrics={metrics} more={more} />
              </Suspense>
            </span>
          )}
        </span>
      </figcaption>
      <div className={classes.plot}>
        {rows.length === 0 ? (
          waiting
        ) : (
          <Suspense fallback={waiting}>
            <ChartPlot spec={spec} rows={rows} lastStep={lastStep} span={span} overlays={overlays} />
          </Suspense>
        )}
      </div>
      {rows.length > 0 && (
        <>
          {legend}
          <p className={classes.reading}>{reading}</p>
        </>
      )}
      {remark}
    </figure>
  );
}

/** Of each curve, where several runs are drawn. */
const POINTS_PER_CURVE = 60;

const NO_ARMS: readonly Arm[] = [];

/** Those that a chart draws beside the current run, which it draws itself. */
function useOtherArms(drawn: boolean): readonly Arm[] {
  const arms = useCompare((state) => state.arms);
  const recorded = useCompare((state) => state.recorded);
  const run = useApp(({ snapshot }) => snapshot.run);
  return useMemo(() => {
    if (!drawn) return NO_ARMS;
    const others = arms.filter(({ runs }) => runs.length !== 1 || runs[0] !== run);
    return recorded === null ? others : [...others, recorded];
  }, [arms, drawn, recorded, run]);
}

/** The horizontal axis of the current run: all its steps, with its warm-up before them. */
export function useStepAxis(): StepAxis {
  const own = useApp(({ snapshot }) => Math.max(snapshot.totalSteps, snapshot.metrics.at(-1)?.step ?? 1));
  const others = useCompare(({ arms, recorded }) =>
    Math.max(
      recorded?.span ?? 1,
      ...arms.flatMap(({ records }) => records.map(({ metrics }) => metrics.at(-1)?.step ?? 1)),
    ),
  );
  const lastStep = Math.max(own, others);
  const updates = useApp(({ snapshot: { sft } }) => Math.max(sft.total, sft.losses.length));
  return { lastStep, span: useMemo(() => sftSpan(updates, lastStep), [updates, lastStep]) };
}

/** The curves that have a point with their values now, and the level that matters. */
export function CurveKey({ spec, shown }: { spec: ChartSpec; shown: readonly CurveNow[] }): ReactNode {
  return (
    <p className={classes.key}>
      {shown.map(({ name, colour, now }) => (
        <span key={name}>
          <span className={classes.swatch} style={{ background: colour }} />
          {name} <span className="number">{now}</span>
        </span>
      ))}
      {spec.level !== undefined && (
        <span>
          <span className={classes.level} />
          {spec.level.label}
        </span>
      )}
    </p>
  );
}

interface CurveNow {
  readonly name: string;
  readonly colour: string;
  /** Its value at the latest step, in words. */
  readonly now: string;
}

function summaryOf(
  { title, shape, curves, format }: ChartSpec,
  metrics: readonly StepMetrics[],
  shown: readonly CurveNow[],
): string {
  const [first, last] = [metrics[0], metrics.at(-1)];
  if (first === undefined || last === undefined) return `${title}: no steps yet.`;
  if (shape !== 'smoothed')
    return `${title}: ${shown.map(({ name, now }) => `${name} ${now}`).join(', ')} at step ${last.step}.`;
  const at = (step: StepMetrics): string => `${format(curves[0]?.value(step) ?? null)} at step ${step.step}`;
  return metrics.length === 1 ? `${title}: ${at(last)}.` : `${title}: ${at(last)}, ${at(first)}.`;
}

/** Some metrics of the current run over its steps: one smoothed, with its value in the corner, or several with a key. */
export function StepChart({ spec }: { spec: ChartSpec }): ReactNode {
  const { metrics, evaluations, config } = useApp(
    useShallow(({ snapshot: { metrics, evaluations, config } }) => ({ metrics, evaluations, config })),
  );
  const { lastStep, span } = useStepAxis();
  const last = metrics.at(-1);
  const smooth = spec.shape === 'smoothed';
  const arms = useOtherArms(smooth && spec.curves.length === 1);
  const pinned = useCompare((state) => state.pinned);
  const overlays = useMemo(
    () =>
      arms.map(({ id, name, colour }, i) => ({
        name,
        colour,
        pinned: id === pinned,
        index: spec.curves.length + i * SERIES_PER_ARM,
      })),
    [arms, pinned, spec],
  );
  const rows = useMemo(() => {
    const measured = (value: Curve['evaluation']) =>
      value === undefined
        ? []
        : evaluations.map((each) => ({ step: stepPosition(each.step, span), value: value(each) }));
    const own = spec.curves.map(({ value, evaluation, greedy }) => ({
      smooth,
      points: metrics.map((step) => ({ step: step.step, value: value(step) })),
      evaluations: measured(evaluation),
      greedy: measured(greedy),
    }));
    const [first] = spec.curves;
    const isShare = spec.format === SHARES.format;
    const others = first ? arms.flatMap((arm) => armSeries(arm, first.value, { isShare })) : [];
    return others.length === 0
      ? chartRows(own)
      : chartRows([...own, ...others], POINTS_PER_CURVE * (own.length + others.length));
  }, [spec, smooth, metrics, evaluations, span, arms]);
  const curvesNow = spec.curves.map(({ name, colour, value }) => ({
    name,
    colour,
    now: spec.format(last === undefined ? null : value(last)),
  }));
  const [first] = curvesNow;
  const shown = curvesNow.filter((_, index) => rows.some(({ curves }) => curves[index]?.value !== undefined));
  const remark = spec.remark?.(metrics, config) ?? null;
  return (
    <ChartPanel
      spec={spec}
      rows={rows}
      overlays={overlays}
      lastStep={lastStep}
      span={span}
      summary={summaryOf(spec, metrics, shown)}
      points={metrics.length}
      now={
        smooth && last !== undefined && first !== undefined
          ? { text: first.now, colour: first.colour }
          : undefined
      }
      legend={!smooth && <CurveKey spec={spec} shown={shown} />}
      remark={
        spec.remark !== undefined && (
          <p className={classes.remark}>
            <b role="status">{remark?.spoken}</b> {remark?.text}
          </p>
        )
      }
    />
  );
}
