/** What a run is about, in the first view: the reward it pushes up, and answers that earned it. */
import type { ReactNode } from 'react';
import { REWARD_CHART } from '../charts/MainCharts.tsx';
import { StepChart } from '../charts/StepChart.tsx';
import { useCharts } from '../arms/chartsStore.ts';
import { LiveAnswers } from './LiveAnswers.tsx';
import classes from './stage.module.css';

/** What the curve is that plays before anything is trained here; the banner further down says more. */
function RecordedMark(): ReactNode {
  const shown = useCharts((state) => state.recorded !== null);
  return (
    shown && (
      <p className={classes.recorded} data-testid="recorded-mark">
        Recorded run
      </p>
    )
  );
}

export function Stage(): ReactNode {
  return (
    <section className={classes.stage} aria-label="Reward and answers">
      <div className={classes.chart}>
        <StepChart spec={REWARD_CHART} />
        <RecordedMark />
      </div>
      <LiveAnswers />
    </section>
  );
}
