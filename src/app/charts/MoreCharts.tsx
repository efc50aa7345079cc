import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { klCause } from '../../rl/klCause.ts';
import { useApp } from '../store.ts';
import { Fold } from '../ui/Fold.tsx';
import { CHART_GROUPS } from './more/index.ts';
import { OFF_POLICY_CHARTS } from './more/offPolicy.ts';
import type { ChartGroup } from './more/spec.ts';
import { SeriesPanel } from './SeriesPanel.tsx';
import classes from './charts.module.css';

function GroupCharts({ group: { charts, made } }: { group: ChartGroup }): ReactNode {
  const metrics = useApp((state) => state.snapshot.metrics);
  const own = useMemo(() => made?.(metrics) ?? [], [made, metrics]);
  return [...charts, ...own].map((chart) => <SeriesPanel key={chart.id} chart={chart} />);
}

/** The curves that explain why a run goes as it does, folded by what they are about. */
export function MoreCharts(): ReactNode {
  const cause = useApp(({ snapshot: { metrics, config } }) =>
    config === null ? null : (klCause(metrics, config)?.title ?? null),
  );
  return (
    <section className="panel" aria-labelledby="more-charts">
      <h2 id="more-charts" className={`panel-title ${classes.moreTitle}`}>
        More charts
      </h2>
      {CHART_GROUPS.map((group) => (
        <Fold
          key={group.title}
          title={group.title}
          note={group === OFF_POLICY_CHARTS && cause !== null ? cause : group.note}
        >
          <div className={classes.more}>
            <GroupCharts group={group} />
          </div>
        </Fold>
      ))}
    </section>
  );
}
