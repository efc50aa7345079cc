import { Suspense, type ReactNode } from 'react';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { CHART_FOLDS, type ChartFold } from './specs/spec.ts';
import classes from './charts.module.css';

const GroupCharts = lazyPart(async () => (await import('./GroupCharts.tsx')).GroupCharts);
const KlCauseNote = lazyPart(async () => (await import('./GroupCharts.tsx')).KlCauseNote, {
  without: ({ otherwise }) => otherwise,
});

function noteOf(fold: ChartFold): ReactNode {
  const { note } = CHART_FOLDS[fold];
  if (fold !== 'offPolicy') return note;
  return (
    <Suspense fallback={note}>
      <KlCauseNote otherwise={note} />
    </Suspense>
  );
}

/** The curves that explain why a run goes as it does, folded by what they are about. */
export function MoreCharts(): ReactNode {
  return (
    <section className="panel" aria-labelledby="more-charts">
      <h2 id="more-charts" className={`panel-title ${classes.moreTitle}`}>
        More charts
      </h2>
      {(Object.keys(CHART_FOLDS) as ChartFold[]).map((fold) => (
        <Fold key={fold} title={CHART_FOLDS[fold].title} note={noteOf(fold)}>
          <GroupCharts fold={fold} />
        </Fold>
      ))}
    </section>
  );
}
