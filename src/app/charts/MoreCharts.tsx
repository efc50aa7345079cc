import type { ReactNode } from 'react';
import { Fold } from '../ui/Fold.tsx';
import { ChartPanels } from './ChartPanels.tsx';
import { MORE_CHARTS } from './chartSpecs.ts';
import classes from './charts.module.css';

/** The curves that explain why a run goes as it does. */
export function MoreCharts(): ReactNode {
  return (
    <div className="panel">
      <Fold title="More charts" note="entropy, gradient norm, loss, sampler against trainer, lengths, time">
        <div className={classes.more}>
          <ChartPanels specs={MORE_CHARTS} />
        </div>
      </Fold>
    </div>
  );
}
