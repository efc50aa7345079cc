import type { ReactNode } from 'react';
import { useApp } from '../store.ts';
import { Fold } from '../ui/Fold.tsx';
import { ChartPanel } from './ChartPanel.tsx';
import { MORE_CHARTS } from './chartSpecs.ts';
import classes from './charts.module.css';

/** The curves that explain why a run goes as it does. */
export function MoreCharts(): ReactNode {
  const { metrics, evaluations, totalSteps } = useApp((state) => state.snapshot);
  return (
    <div className="panel">
      <Fold title="More charts" note="entropy, gradient norm, loss, sampler against trainer, lengths, time">
        <div className={classes.more}>
          {MORE_CHARTS.map((spec) => (
            <ChartPanel
              key={spec.id}
              spec={spec}
              metrics={metrics}
              evaluations={evaluations}
              totalSteps={totalSteps}
            />
          ))}
        </div>
      </Fold>
    </div>
  );
}
