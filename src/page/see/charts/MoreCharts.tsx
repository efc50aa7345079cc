import { useMemo, type ReactNode } from 'react';
import { klCause } from '@rl-playground/run/diagnosis';
import { useRun } from '../../run/state/runStore.ts';
import { Fold } from '../../ui/parts/Fold.tsx';
import { ChartGrid } from './ChartGrid.tsx';
import { CHART_GROUPS } from './specs/index.ts';
import { CHART_FOLDS, isDrawn, type ChartFold } from './specs/spec.ts';
import classes from './charts.module.css';

function GroupCharts({ fold }: { fold: ChartFold }): ReactNode {
  const { charts, made } = CHART_GROUPS[fold];
  const metrics = useRun((state) => state.snapshot.metrics);
  const ofRun = useMemo(() => made?.(metrics) ?? [], [made, metrics]);
  const all = [...charts, ...ofRun];
  const left = all.filter((chart) => !isDrawn(chart, metrics));
  return (
    <div className="stack">
      <ChartGrid specs={all.filter((chart) => !left.includes(chart))} />
      {left.length > 0 && (
        <p className="quiet">
          This run has nothing to draw here so far: {left.map(({ title }) => title).join('; ')}.
        </p>
      )}
    </div>
  );
}

/** Why sampler and trainer drift apart, as soon as they do. */
function useKlCause(): string | null {
  return useRun(({ snapshot: { metrics, config } }) =>
    config === null ? null : (klCause(metrics, config)?.title ?? null),
  );
}

/** The curves that explain why a run goes as it does, folded by subject. */
export function MoreCharts(): ReactNode {
  const cause = useKlCause();
  return (
    <section className="panel" aria-labelledby="more-charts">
      <h2 id="more-charts" className={`panel-title ${classes.moreTitle}`}>
        More charts
      </h2>
      {(Object.keys(CHART_FOLDS) as ChartFold[]).map((fold) => (
        <Fold
          key={fold}
          title={CHART_FOLDS[fold].title}
          note={(fold === 'offPolicy' && cause) || CHART_FOLDS[fold].note}
        >
          <GroupCharts fold={fold} />
        </Fold>
      ))}
    </section>
  );
}
