import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useApp } from '../store.ts';
import type { ChartFold } from './specs/folds.ts';
import { CHART_GROUPS } from './specs/index.ts';
import { isDrawn } from './specs/spec.ts';
import { SeriesPanel } from './SeriesPanel.tsx';
import classes from './charts.module.css';

/** The charts of one fold. */
export function GroupCharts({ fold }: { fold: ChartFold }): ReactNode {
  const { charts, made } = CHART_GROUPS[fold];
  const metrics = useApp((state) => state.snapshot.metrics);
  const own = useMemo(() => made?.(metrics) ?? [], [made, metrics]);
  const all = [...charts, ...own];
  const left = all.filter((chart) => !isDrawn(chart, metrics));
  return (
    <>
      <div className={classes.more}>
        {all
          .filter((chart) => !left.includes(chart))
          .map((chart) => (
            <SeriesPanel key={chart.id} chart={chart} />
          ))}
      </div>
      {left.length > 0 && (
        <p className={classes.left}>
          Nothing to draw in this run so far: {left.map(({ title }) => title).join('; ')}.
        </p>
      )}
    </>
  );
}
