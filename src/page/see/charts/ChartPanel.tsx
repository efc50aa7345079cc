/** The panel of a chart: its name, unit, value and menu, and its curves or, before the first step, what they will show. */
import { useElementSize, useIntersection, useMergedRef } from '@mantine/hooks';
import { memo, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { NO_WARM_UP, type SftSpan } from './axes.ts';
import type { Table } from './csv.ts';
import type { ChartRow } from './specs/rows.ts';
import type { ChartSpec, CurveNow } from './specs/spec.ts';
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

export interface StepAxis {
  /** The right end of the horizontal axis: the end of the run, so that the curves also show how much is left. */
  readonly lastStep: number;
  readonly span: SftSpan;
}

interface ChartPanelProps {
  readonly spec: ChartSpec;
  readonly lastStep: number;
  /** Left out where there is no warm-up to the left of the curves. */
  readonly span?: SftSpan;
  readonly overlays?: readonly Overlay[];
  /** Curves to draw; there are none before the first step. */
  readonly rows: readonly ChartRow[];
  /** The curves in words: ends, extremes, trend. */
  readonly inWords?: string;
  /** Makes the table of all values, for a file. */
  readonly table: () => Table;
  /** The number of points along the horizontal axis. */
  readonly points: number;
  /** The value at the latest step, in the corner. */
  readonly now?: { readonly text: string; readonly colour?: string | undefined } | undefined;
  /** The curves that have a point, for the key under them. A chart of one curve needs no key. */
  readonly shown?: readonly CurveNow[];
  readonly remark?: ReactNode;
}

const NO_OTHERS: readonly Overlay[] = [];
const NO_KEY: readonly CurveNow[] = [];

export function ChartPanel(props: ChartPanelProps): ReactNode {
  const { spec, rows, lastStep, inWords, points, now, shown, remark, table } = props;
  const { overlays = NO_OTHERS, span = NO_WARM_UP } = props;
  const { id, title, unit, reading, level } = spec;
  const values = now?.text ?? shown?.map((curve) => `${curve.name} ${curve.now}`).join(', ') ?? '';
  const newest = rows.at(-1)?.step;
  const when = spec.at === undefined && newest !== undefined ? ` at step ${Math.round(newest)}` : '';
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
      <figcaption className={classes.caption}>
        <span className={classes.names}>
          <span className="panel-title">{title}</span>
          <span className={classes.small}>
            <Glossed text={unit} />
          </span>
        </span>
        <span className={classes.corner}>
          {now !== undefined && (
            <span className={`number ${classes.now}`} style={{ color: now.colour }}>
              {now.text}
            </span>
          )}
          <ChartCorner spec={spec} figure={figure} table={readTable} />
        </span>
      </figcaption>
      {inWords !== undefined && (
        <p id={wordsId} className="visually-hidden">
          {inWords}
        </p>
      )}
      <div ref={plot} className={classes.plot}>
        {rows.length === 0 ? (
          <p className={classes.waiting}>
            <span>{reading} Each step will add one point.</span>
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
            shown={shown ?? NO_KEY}
          />
        )}
      </div>
      {rows.length > 0 && shown && (
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
        <p className={classes.small}>
          <Glossed text={reading} />
        </p>
      )}
      {remark}
    </figure>
  );
}
