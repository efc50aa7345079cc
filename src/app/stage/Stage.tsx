/** What a run is about, in the first view: the reward it pushes up, and answers that earned it. */
import type { ReactNode } from 'react';
import { REWARD_CHART } from '../charts/MainCharts.tsx';
import { StepChart } from '../charts/StepChart.tsx';
import { LiveAnswers } from './LiveAnswers.tsx';
import classes from './stage.module.css';

export function Stage(): ReactNode {
  return (
    <section className={classes.stage} aria-label="Reward and answers">
      <StepChart spec={REWARD_CHART} />
      <LiveAnswers />
    </section>
  );
}
