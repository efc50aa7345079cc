import type { ReactNode } from 'react';
import { ChartPanels } from './ChartPanels.tsx';
import { MAIN_CHARTS } from './chartSpecs.ts';
import classes from './charts.module.css';

function Legend(): ReactNode {
  return (
    <p className={classes.legend}>
      <span>
        <svg aria-hidden="true" width="22" height="8">
          <path d="M0 5 6 2l5 4 6-4 5 2" fill="none" stroke="currentColor" strokeWidth="1" opacity="0.7" />
        </svg>
        each step
      </span>
      <span>
        <svg aria-hidden="true" width="22" height="8">
          <path d="M0 4h22" stroke="currentColor" strokeWidth="2.4" />
        </svg>
        smoothed (moving average)
      </span>
      <span>
        <svg aria-hidden="true" width="12" height="12">
          <path d="M6 1 11 6 6 11 1 6Z" fill="none" stroke="currentColor" strokeWidth="1.8" />
        </svg>
        evaluation on held-out problems
      </span>
    </p>
  );
}

/** The four curves that tell how a run goes. */
export function ChartGrid(): ReactNode {
  return (
    <>
      <div className={classes.grid}>
        <ChartPanels specs={MAIN_CHARTS} />
      </div>
      <Legend />
    </>
  );
}
