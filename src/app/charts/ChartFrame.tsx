import { Suspense } from 'react';
import type { ReactNode } from 'react';
import type { MetricKey } from '../../rl/metrics/index.ts';
import { lazyPart } from '../ui/lazyPart.tsx';
import type { MetricText } from './metricText.ts';
import classes from './charts.module.css';

const MetricMark = lazyPart(async () => (await import('./MetricMark.tsx')).MetricMark);

interface ChartFrameProps {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** One line on how to read the chart. */
  readonly reading: string;
  /** All that the chart shows, in words. */
  readonly summary: string;
  /** Number of points along the horizontal axis; a chart of two stages also has those of the second. */
  readonly points: number;
  readonly steps?: number;
  /** The metrics behind the mark, for their names in the log and their formulas, and what is drawn besides. */
  readonly metrics?: readonly MetricKey[];
  readonly more?: readonly MetricText[] | undefined;
  /** The value now. */
  readonly now?: ReactNode;
  /** The curves; null while there is nothing to draw. */
  readonly plot: ReactNode;
  /** What stands under the curves, before the line on how to read them, and after it. */
  readonly legend?: ReactNode;
  readonly remark?: ReactNode;
}

/** The panel of a chart: name, unit, value now, and the curves or, before the first step, what they will show. */
export function ChartFrame(props: ChartFrameProps): ReactNode {
  const { id, title, unit, reading, summary, points, steps, metrics = [], more = [] } = props;
  const { now, plot, legend, remark } = props;
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
          {now}
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
        {plot === null ? waiting : <Suspense fallback={waiting}>{plot}</Suspense>}
      </div>
      {plot !== null && (
        <>
          {legend}
          <p className={classes.reading}>{reading}</p>
        </>
      )}
      {remark}
    </figure>
  );
}
