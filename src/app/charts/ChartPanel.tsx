/** The panel of a chart: name, unit, value now, what can be done with it, and the curves or, before the first step, what they will show. */
import {
  memo,
  Suspense,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  type ReactNode,
  type RefObject,
} from 'react';
import { create } from 'zustand';
import { Glossed } from '../ui/Glossed.tsx';
import { lazyPart } from '../ui/lazyPart.tsx';
import { useSize, type Size } from '../ui/useSize.ts';
import { whenIdle } from '../ui/whenIdle.ts';
import type { PowerAxis, SftSpan } from './axes.ts';
import type { Table } from './csv.ts';
import { axesOf } from './domains.ts';
import { Drawing } from './Drawing.tsx';
import { DASHES, type Overlay } from './overlay.ts';
import { useApp } from '../store.ts';
import { isBusy } from '../transport/phases.ts';
import { useOnScreen } from '../ui/onScreen.ts';
import type { ChartRow } from './rows.ts';
import { plotOf } from './scales.ts';
import type { ChartSpec } from './spec.ts';
import { useTurn } from './turns.ts';
import classes from './charts.module.css';

/** Not with the other parts of the page: recharts is large, and most visits to a page at rest point at no chart. */
const Crosshair = lazyPart(async () => (await import('./Crosshair.tsx')).Crosshair, {
  without: () => null,
  isAheadOfUse: false,
});

/** Of all charts, for the crosshair runs through them: whether somebody has pointed at one or come to one by keyboard, and whether it is there. */
const useAsked = create(() => ({ isAsked: false, isFetched: false }));
const ask = (): void => useAsked.setState({ isAsked: true });

/**
 * Whether a chart has its crosshair: one chart in two frames. It is fetched before, or all charts that wait for it would have it at once,
 * which takes recharts 30 ms each.
 */
function useCrosshair(place: RefObject<HTMLElement | null>, hasSteps: boolean): boolean {
  const { isAsked, isFetched } = useAsked();
  const busy = useApp(({ snapshot }) => isBusy(snapshot.phase));
  useEffect(() => {
    const element = place.current;
    if (isAsked || element === null) return undefined;
    const occasions = ['pointerenter', 'focusin'];
    for (const occasion of occasions) element.addEventListener(occasion, ask);
    return () => {
      for (const occasion of occasions) element.removeEventListener(occasion, ask);
    };
  }, [isAsked, place]);
  useEffect(() => {
    // What a run has drawn can be looked into without network, too; a run under way is not held up for it.
    if (isFetched || !(isAsked || (hasSteps && !busy))) return;
    const wait = isAsked ? Promise.resolve() : whenIdle();
    void wait.then(() => Crosshair.fetch()).then(() => useAsked.setState({ isFetched: true }));
  }, [isFetched, isAsked, hasSteps, busy]);
  return useTurn(isAsked && isFetched);
}

interface PlotProps extends StepAxis {
  readonly spec: ChartSpec;
  readonly rows: readonly ChartRow[];
  readonly overlays?: readonly Overlay[] | undefined;
  readonly log: PowerAxis | null;
  readonly size: Size;
  readonly hasCrosshair: boolean;
}

const NONE: readonly Overlay[] = [];

/** Drawing takes long, so it is done for new steps alone, not whenever the page has news of the run. */
const Plot = memo(function Plot(props: PlotProps): ReactNode {
  const { spec, rows, overlays = NONE, log, size, lastStep, span, hasCrosshair } = props;
  const axes = useMemo(() => axesOf(spec, rows, log), [spec, rows, log]);
  const steps = useMemo(() => [-span.width, lastStep] as const, [span, lastStep]);
  const plot = useMemo(() => plotOf(size, steps, axes), [size, steps, axes]);
  const shared = { spec, rows, overlays, size, plot };
  return (
    <>
      <Drawing {...shared} axes={axes} lastStep={lastStep} hasWarmUp={span.width > 0} />
      {hasCrosshair && (
        <Suspense>
          <Crosshair {...shared} steps={steps} />
        </Suspense>
      )}
    </>
  );
});

interface PlotOnScreenProps extends Omit<PlotProps, 'size'> {
  readonly drawn: boolean;
  readonly size: Size | null;
}

/** The curves, first drawn once they come near the screen. Away from it they stay as they are; the words of the panel go on. */
const PlotOnScreen = memo(
  function PlotOnScreen({ drawn, size, ...plot }: PlotOnScreenProps): ReactNode {
    return drawn && size !== null && <Plot {...plot} size={size} />;
  },
  (_, { drawn, size }) => !drawn || size === null,
);

const MetricMark = lazyPart(async () => (await import('./MetricMark.tsx')).MetricMark);
const ChartMenu = lazyPart(async () => (await import('./ChartMenu.tsx')).ChartMenu);

export interface StepAxis {
  /** Right end of the horizontal axis: the whole run, so that the curves also show how much is left. */
  readonly lastStep: number;
  readonly span: SftSpan;
}

interface ChartPanelProps extends StepAxis {
  readonly spec: ChartSpec;
  /** Other runs beside the current one. */
  readonly overlays?: readonly Overlay[];
  /** Null for a linear vertical axis. */
  readonly log?: PowerAxis | null;
  /** Why there can be no log axis, null where there can; left out for charts that offer none. */
  readonly logRefusal?: string | null;
  /** None while there is nothing to draw. */
  readonly rows: readonly ChartRow[];
  /** What the chart shows, in a few words. */
  readonly summary: string;
  /** Every curve in words: ends, extremes, trend. */
  readonly inWords?: string;
  /** All its values; asked for at a click. */
  readonly table: () => Table;
  /** Number of points along the horizontal axis; a chart of two stages also has those of the second. */
  readonly points: number;
  readonly steps?: number;
  /** The value now, in the corner. */
  readonly now?: { readonly text: string; readonly colour?: string | undefined } | undefined;
  /** What stands under the curves, before the line on how to read them, and after it. */
  readonly legend?: ReactNode;
  readonly remark?: ReactNode;
}

export function ChartPanel(props: ChartPanelProps): ReactNode {
  const { spec, rows, overlays, lastStep, span, summary, inWords, points, steps, now, legend, remark } =
    props;
  const { log = null, logRefusal, table } = props;
  const { id, title, unit, reading, metrics, more = [] } = spec;
  const figure = useRef<HTMLElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const size = useSize(plot);
  const drawn = useTurn(useOnScreen(figure));
  const hasCrosshair = useCrosshair(figure, points > 0);
  const wordsId = useId();
  const latestTable = useRef(table);
  useEffect(() => {
    latestTable.current = table;
  });
  // The menu is not drawn anew with every step.
  const readTable = useCallback(() => latestTable.current(), []);
  const waiting = (
    <p className={classes.waiting}>
      <span>{reading} Each step will add one point.</span>
    </p>
  );
  return (
    <figure
      ref={figure}
      className={`panel ${classes.chart}`}
      aria-label={summary}
      aria-describedby={inWords === undefined ? undefined : wordsId}
      data-testid={`chart-${id}`}
      data-points={points}
      data-steps={steps}
    >
      <figcaption className={classes.caption}>
        <span className={classes.names}>
          <span className="panel-title">{title}</span>
          <span className={classes.unit}>
            <Glossed text={unit} />
          </span>
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
          <span className={classes.markPlace}>
            <Suspense>
              <ChartMenu spec={spec} figure={figure} table={readTable} logRefusal={logRefusal} />
            </Suspense>
          </span>
        </span>
      </figcaption>
      {inWords !== undefined && (
        <p id={wordsId} className="visually-hidden">
          {inWords}
        </p>
      )}
      <div ref={plot} className={classes.plot}>
        {rows.length === 0 ? (
          waiting
        ) : (
          <PlotOnScreen
            drawn={drawn}
            size={size}
            spec={spec}
            rows={rows}
            lastStep={lastStep}
            span={span}
            overlays={overlays}
            log={log}
            hasCrosshair={hasCrosshair}
          />
        )}
      </div>
      {rows.length > 0 && (
        <>
          {legend}
          <p className={classes.reading}>
            <Glossed text={reading} />
          </p>
        </>
      )}
      {remark}
    </figure>
  );
}

export interface CurveNow {
  readonly name: string;
  readonly colour: string;
  /** Its value at the latest step, in words. */
  readonly now: string;
}

interface CurveKeyProps {
  readonly spec: ChartSpec;
  readonly shown: readonly CurveNow[];
  /** Whether other runs are drawn, whose curves are told apart by their dashes. */
  readonly others?: boolean;
}

/** The curves that have a point with their values now, and the level that matters. */
export function CurveKey({ spec, shown, others = false }: CurveKeyProps): ReactNode {
  const dashOf = (name: string): string =>
    DASHES[spec.curves.findIndex((curve) => curve.name === name) % DASHES.length] ?? '';
  return (
    <p className={classes.key}>
      {shown.map(({ name, colour, now }) => (
        <span key={name}>
          <span className={classes.swatch} style={{ background: colour }} />
          {others && (
            <svg aria-hidden="true" width="26" height="8" className={classes.dashes}>
              <path d="M0 4h26" stroke="currentColor" strokeWidth="1.5" strokeDasharray={dashOf(name)} />
            </svg>
          )}
          {name} <span className="number">{now}</span>
        </span>
      ))}
      {spec.level !== undefined && (
        <span>
          <span className={classes.level} />
          {spec.level.label}
        </span>
      )}
      {others && <span>other runs: their colour, dashed as beside each name</span>}
    </p>
  );
}
