/** The panel of a chart: name, unit, value now, what can be done with it, and the curves or, before the first step, what they will show. */
import {
  memo,
  Suspense,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
} from 'react';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useOnScreen } from '../../ui/draw/onScreen.ts';
import { useSize, type Size } from '../../ui/draw/useSize.ts';
import type { Domain, SftSpan } from './axes.ts';
import type { Table } from './csv.ts';
import type { Overlay } from './overlay.ts';
import type { ChartRow } from './specs/rows.ts';
import type { ChartSpec, CurveNow } from './specs/spec.ts';
import classes from './charts.module.css';

const ChartPlot = lazyPart(async () => (await import('./ChartPlot.tsx')).ChartPlot);

interface PlotOnScreenProps extends Omit<ComponentProps<typeof ChartPlot>, keyof Size> {
  readonly onScreen: boolean;
  readonly size: Size | null;
}

/** The curves, first drawn once they come near the screen. Away from it they stay as they are; the words of the panel go on. */
const PlotOnScreen = memo(
  function PlotOnScreen({ onScreen, size, ...plot }: PlotOnScreenProps): ReactNode {
    return (
      onScreen &&
      size !== null && (
        <Suspense>
          <ChartPlot {...plot} {...size} />
        </Suspense>
      )
    );
  },
  (_, { onScreen, size }) => !onScreen || size === null,
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
  /** The ends of a logarithmic vertical axis; null for a linear one. */
  readonly log?: Domain | null;
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
  /** The curves that have a point, where a key under them says which is which. */
  readonly shown?: readonly CurveNow[];
  /** What stands at the end. */
  readonly remark?: ReactNode;
}

const NO_OTHERS: readonly Overlay[] = [];
const NO_KEY: readonly CurveNow[] = [];

interface ChartKeyProps {
  readonly spec: ChartSpec;
  readonly hasOthers: boolean;
  /** Takes the place that recharts fills with the curves. */
  readonly onPlace: (place: HTMLElement | null) => void;
}

/** The key of a chart: its curves, the level that matters, and how other runs are told apart. */
function ChartKey({ spec: { level }, hasOthers, onPlace }: ChartKeyProps): ReactNode {
  return (
    <div className={classes.key}>
      <div ref={onPlace} />
      {level !== undefined && (
        <span>
          <span className={classes.level} />
          {level.label}
        </span>
      )}
      {hasOthers && <span>other runs: their colour, dashed as beside each name</span>}
    </div>
  );
}

export function ChartPanel(props: ChartPanelProps): ReactNode {
  const { spec, rows, lastStep, span, summary, inWords, points, steps, now, shown, remark } = props;
  const { overlays = NO_OTHERS, log = null, logRefusal, table } = props;
  const { id, title, unit, reading, metrics, more = [] } = spec;
  const figure = useRef<HTMLElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const size = useSize(plot);
  const onScreen = useOnScreen(figure);
  const [keyPlace, setKeyPlace] = useState<HTMLElement | null>(null);
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
            onScreen={onScreen}
            size={size}
            spec={spec}
            rows={rows}
            lastStep={lastStep}
            span={span}
            overlays={overlays}
            log={log}
            keyPlace={keyPlace}
            shown={shown ?? NO_KEY}
          />
        )}
      </div>
      {rows.length > 0 && (
        <>
          {shown && <ChartKey spec={spec} hasOthers={overlays.length > 0} onPlace={setKeyPlace} />}
          <p className={classes.reading}>
            <Glossed text={reading} />
          </p>
        </>
      )}
      {remark}
    </figure>
  );
}
