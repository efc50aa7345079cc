/** The panel of a chart: its name, unit, value and menu, and its curves or, before the first step, what they will show. */
import { useElementSize, useIntersection, useMergedRef } from '@mantine/hooks';
import { memo, useCallback, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useCharts } from '../arms/chartsStore.ts';
import { NO_WARM_UP, type SftSpan } from './axes.ts';
import type { Table } from './csv.ts';
import { curveInWords } from './describe.ts';
import { EarlierRuns } from './EarlierRuns.tsx';
import { chartRows, type Series } from './specs/rows.ts';
import type { ChartSpec } from './specs/spec.ts';
import type { Overlay } from './stepSeries.ts';
import classes from './charts.module.css';

const ChartPlot = lazyPart(async () => (await import('./ChartPlot.tsx')).ChartPlot);
const ChartCorner = lazyPart(async () => (await import('./ChartMenu.tsx')).ChartCorner);

/** The distance from the screen within which a chart is drawn, so that nobody sees it appear. */
const NEAR = { rootMargin: '200px 0px' };

interface SeenPlotProps extends ComponentProps<typeof ChartPlot> {
  readonly seen: boolean;
}

/** The curves are first drawn near the screen. Away from it they stay as they are, while the words of the panel go on. */
const SeenPlot = memo(
  function SeenPlot({ seen, ...plot }: SeenPlotProps): ReactNode {
    return seen && plot.width > 0 && plot.height > 0 && <ChartPlot {...plot} />;
  },
  (_, { seen, width }) => !seen || width === 0,
);

/** The most points of each curve where several runs are drawn, and of all curves together. */
const POINTS_PER_CURVE = 60;
const MOST_POINTS = 480;

type Drawn = Pick<ChartPanelProps, 'spec' | 'series'> & { readonly others: readonly Series[] };

/** The rows to draw, the values at the latest step, and the curves in words: ends, extremes, trend. The points themselves are not kept, because a long run has many. */
function useDrawn({ spec, series, others }: Drawn) {
  const beta = useDeferredValue(useCharts((state) => state.smoothing));
  return useMemo(() => {
    const own = series();
    const all = [...own, ...others];
    const limit = Math.min(MOST_POINTS, POINTS_PER_CURVE * all.length);
    const rows = chartRows(all, { beta, ...(others.length > 0 && { limit }) });
    const { curves, title, format } = spec;
    const now = curves.map(({ name }, i) => ({ name, now: format(own[i]?.points.at(-1)?.value ?? null) }));
    const words = curves.map(({ name }, i) =>
      curveInWords(isAboutOne(spec) ? title : name, own[i]?.points ?? [], format),
    );
    return {
      rows,
      now,
      /** The curves that have a point, for the key under them. */
      shown: now.filter((_, i) => rows.some((row) => row.curves[i]?.value !== undefined)),
      inWords: spec.axis === undefined ? words.join(' ') : undefined,
      points: Math.max(0, ...own.map(({ points }) => points.length)),
    };
  }, [spec, series, others, beta]);
}

/** A chart of one curve and its moving average has its value in the corner, and needs no key. */
const isAboutOne = ({ shape, curves }: ChartSpec): boolean => shape === 'smoothed' && curves.length === 1;

interface ChartPanelProps {
  readonly spec: ChartSpec;
  /** Makes the series of the curves, in their order. */
  readonly series: () => readonly Series[];
  readonly lastStep: number;
  /** Left out where there is no warm-up to the left of the curves. */
  readonly span?: SftSpan;
  /** Other runs, and their series. */
  readonly overlays?: readonly Overlay[];
  readonly others?: readonly Series[];
  /** Makes the table of all values, for a file. Without it the table is that of the series. */
  readonly table?: () => Promise<Table>;
  readonly remark?: ReactNode;
}

const NO_OTHERS: readonly Overlay[] = [];
const NO_SERIES: readonly Series[] = [];

export function ChartPanel(props: ChartPanelProps): ReactNode {
  const { spec, series, lastStep, remark } = props;
  const { overlays = NO_OTHERS, others = NO_SERIES, span = NO_WARM_UP } = props;
  const { table = async () => (await import('./csv.ts')).seriesTable(spec, series()) } = props;
  const { id, title, unit, reading, level } = spec;
  const { rows, now, shown, inWords, points } = useDrawn({ spec, series, others });
  const [corner] = isAboutOne(spec) && points > 0 ? now : [];
  const hasKey = !isAboutOne(spec);
  const values = corner?.now ?? shown.map((curve) => `${curve.name} ${curve.now}`).join(', ');
  const newest = rows.at(-1)?.step;
  const when = spec.axis === undefined && newest !== undefined ? ` at step ${Math.round(newest)}` : '';
  const figure = useRef<HTMLElement>(null);
  const { ref: onScreen, entry } = useIntersection(NEAR);
  const wholeFigure = useMergedRef(figure, onScreen);
  const { ref: plot, width, height } = useElementSize();
  // The key's place, which recharts fills with the curves.
  const [keyPlace, setKeyPlace] = useState<HTMLElement | null>(null);
  const wordsId = useId();
  const latestTable = useRef(table);
  useEffect(() => {
    latestTable.current = table;
  });
  // The menu is not drawn anew with every step.
  const readTable = useCallback(() => latestTable.current(), []);
  return (
    <figure
      ref={wholeFigure}
      className={`panel ${classes.chart}`}
      aria-label={values === '' ? title : `${title}: ${values}${when}`}
      aria-describedby={inWords === undefined ? undefined : wordsId}
      data-testid={`chart-${id}`}
      data-points={points}
    >
      <figcaption className={`row apart ${classes.caption}`}>
        <span className={`row ${classes.names}`}>
          <span className="panel-title">{title}</span>
          <span className="quiet">
            <Glossed text={unit} />
          </span>
        </span>
        <span className={classes.corner}>
          {corner !== undefined && (
            <span className={`number ${classes.now}`} style={{ color: spec.curves[0]?.colour }}>
              {corner.now}
            </span>
          )}
          <ChartCorner spec={spec} figure={figure} table={readTable} />
        </span>
      </figcaption>
      {overlays.length > 0 && <EarlierRuns />}
      {inWords !== undefined && (
        <p id={wordsId} className="visually-hidden">
          {inWords}
        </p>
      )}
      <div ref={plot} className={classes.plot}>
        {rows.length === 0 ? (
          <p className={`quiet ${classes.waiting}`}>
            <span>
              <span className={classes.reading}>{reading} </span>Each step will add one point.
            </span>
          </p>
        ) : (
          <SeenPlot
            seen={entry?.isIntersecting === true}
            width={Math.round(width)}
            height={Math.round(height)}
            spec={spec}
            rows={rows}
            lastStep={lastStep}
            span={span}
            overlays={overlays}
            keyPlace={keyPlace}
            shown={shown}
          />
        )}
      </div>
      {rows.length > 0 && hasKey && (
        <div className={classes.key}>
          <div ref={setKeyPlace} />
          {level !== undefined && (
            <span>
              <span className={classes.level} />
              {level.label}
            </span>
          )}
          {overlays.length > 0 && (
            <span>Other runs have their own colour; the dashes beside a name show its curve in them.</span>
          )}
        </div>
      )}
      {rows.length > 0 && (
        <p className="quiet">
          <Glossed text={reading} />
        </p>
      )}
      {remark}
    </figure>
  );
}
