import { useMemo, type ReactNode } from 'react';
import { klCause } from '@rl-playground/run/diagnosis';
import { useRun } from '../../run/state/runStore.ts';
import { Fold } from '../../ui/parts/Fold.tsx';
import { ChartControls } from './ChartControls.tsx';
import { ChartGrid } from './ChartGrid.tsx';
import { Legend } from './MainCharts.tsx';
import { RunCharts } from './RunCharts.tsx';
import { SftChart } from './SftChart.tsx';
import { CHART_GROUPS } from './specs/index.ts';
import { OFF_POLICY_CHARTS } from './specs/policy.ts';
import { isDrawn, type ChartGroup } from './specs/spec.ts';
import classes from './charts.module.css';

function GroupCharts({ charts, made }: ChartGroup): ReactNode {
  const metrics = useRun((state) => state.snapshot.metrics);
  const ofRun = useMemo(() => made?.(metrics) ?? [], [made, metrics]);
  return <ChartGrid specs={[...charts, ...ofRun].filter((chart) => isDrawn(chart, metrics))} />;
}

/** The charts of a warm-up, of single tasks and of any metric, and the curves that explain why a run goes as it does, folded by subject. */
export function MoreCharts(): ReactNode {
  // Why sampler and trainer drift apart, as soon as they do.
  const cause = useRun(({ snapshot: { metrics, config } }) =>
    config === null ? undefined : klCause(metrics, config)?.title,
  );
  return (
    <section className="panel" aria-labelledby="more-charts">
      <div className={`stack ${classes.moreTitle}`}>
        <h2 id="more-charts" className="panel-title">
          More charts
        </h2>
        <SftChart />
        <RunCharts />
        <ChartControls />
        <Legend />
      </div>
      <div className={classes.folds}>
        {CHART_GROUPS.map((group) => (
          <Fold
            key={group.title}
            title={group.title}
            note={(group === OFF_POLICY_CHARTS && cause) || group.note}
          >
            <GroupCharts {...group} />
          </Fold>
        ))}
      </div>
    </section>
  );
}
