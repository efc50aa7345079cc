import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useApp } from '../store.ts';
import type { ChartFold } from './more/folds.ts';
import { CHART_GROUPS } from './more/index.ts';
import { SeriesPanel } from './SeriesPanel.tsx';
import classes from './charts.module.css';

/** The charts of one fold. */
export function GroupCharts({ fold }: { fold: ChartFold }): ReactNode {
  const { charts, made } = CHART_GROUPS[fold];
  const metrics = useApp((state) => state.snapshot.metrics);
  const own = useMemo(() => made?.(metrics) ?? [], [made, metrics]);
  return (
    <div className={classes.more}>
      {[...charts, ...own].map((chart) => (
        <SeriesPanel key={chart.id} chart={chart} />
      ))}
    </div>
  );
}
