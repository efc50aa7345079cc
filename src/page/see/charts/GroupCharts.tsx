/** What the folds of charts hold, loaded when the page is at rest. */
import { useMemo, type ReactNode } from 'react';
import { klCause } from '@rl-playground/run/diagnosis';
import { useRun } from '../../run/state/runStore.ts';
import { ChartGrid } from './ChartGrid.tsx';
import { StepChart } from './StepChart.tsx';
import { isDrawn, type ChartFold } from './specs/spec.ts';
import { CHART_GROUPS } from './specs/index.ts';
import classes from './charts.module.css';

/** The charts of one fold. */
export function GroupCharts({ fold }: { fold: ChartFold }): ReactNode {
  const { charts, made } = CHART_GROUPS[fold];
  const metrics = useRun((state) => state.snapshot.metrics);
  const ofRun = useMemo(() => made?.(metrics) ?? [], [made, metrics]);
  const all = [...charts, ...ofRun];
  const left = all.filter((chart) => !isDrawn(chart, metrics));
  return (
    <>
      <ChartGrid>
        {all
          .filter((chart) => !left.includes(chart))
          .map((chart) => (
            <StepChart key={chart.id} spec={chart} />
          ))}
      </ChartGrid>
      {left.length > 0 && (
        <p className={classes.left}>
          Nothing to draw in this run so far: {left.map(({ title }) => title).join('; ')}.
        </p>
      )}
    </>
  );
}

/** Why sampler and trainer drift apart, where they do; `otherwise` where they do not. */
export function KlCauseNote({ otherwise }: { otherwise: string }): ReactNode {
  const cause = useRun(({ snapshot: { metrics, config } }) =>
    config === null ? null : (klCause(metrics, config)?.title ?? null),
  );
  return cause ?? otherwise;
}
