/** The panel of a chart: name, unit, value now, what can be done with it, and the curves or, before the first step, what they will show. */
import {
  memo,
  startTransition,
  Suspense,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
  type RefObject,
} from 'react';
import { Glossed } from '../ui/Glossed.tsx';
import { lazyPart } from '../ui/lazyPart.tsx';
import type { PowerAxis, SftSpan } from './axes.ts';
import type { Table } from './csv.ts';
import { DASHES, type Overlay } from './overlay.ts';
import { useOnScreen } from '../ui/onScreen.ts';
import type { ChartRow } from './rows.ts';
import type { ChartSpec } from './spec.ts';
import { useTurn } from './turns.ts';
import classes from './charts.module.css';

const ChartPlot = lazyPart(async () => (await import('./ChartPlot.tsx')).ChartPlot);
let isFetched = false;

/**
 * Whether a chart may draw its curves: where it is on the screen, one chart in two frames. They are fetched before, or all charts that wait for
 * them would be drawn at once, which takes recharts 30 ms each.
 */
function useDrawn(onScreen: boolean): boolean {
  const [fetched, setFetched] = useState(isFetched);
  useEffect(() => {
    if (fetched || !onScreen) return undefined;
    let isHere = true;
    const settle = (): void => {
      isFetched = true;
      if (isHere) setFetched(true);
    };
    void ChartPlot.fetch().then(settle);
    return () => {
      isHere = false;
    };
  }, [fetched, onScreen]);
  return useTurn(onScreen && fetched);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Whole pixels of `place`; null until the browser has said so, and while it has none. Known before the curves are drawn: recharts' own
 * container reads it behind the first drawing, which has the page laid out and the chart drawn again.
 */
function useSize(place: RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      const height = Math.round(entry?.contentRect.height ?? 0);
      const found = width > 0 && height > 0 ? { width, height } : null;
      startTransition(() =>
        setSize((known) =>
          known?.width === found?.width && known?.height === found?.height ? known : found,
        ),
      );
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return size;
}

interface PlotOnScreenProps extends Omit<ComponentProps<typeof ChartPlot>, keyof Size> {
  readonly drawn: boolean;
  readonly size: Size | null;
}

/** The curves, first drawn once they come near the screen. Away from it they stay as they are; the words of the panel go on. */
const PlotOnScreen = memo(
  function PlotOnScreen({ drawn, size, ...plot }: PlotOnScreenProps): ReactNode {
    return drawn && size !== null && <ChartPlot {...plot} {...size} />;
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
  const drawn = useDrawn(useOnScreen(figure));
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
          <Suspense fallback={waiting}>
            <PlotOnScreen
              drawn={drawn}
              size={size}
              spec={spec}
              rows={rows}
              lastStep={lastStep}
              span={span}
              overlays={overlays}
              log={log}
            />
          </Suspense>
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
