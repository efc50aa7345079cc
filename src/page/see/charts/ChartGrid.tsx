import type { ReactNode } from 'react';
import { StepChart } from './StepChart.tsx';
import type { ChartSpec } from './specs/spec.ts';
import classes from './charts.module.css';

/** Charts side by side, as many as there is room for. A chart that would be alone in its row takes the whole row. */
export function ChartGrid({ specs }: { readonly specs: readonly ChartSpec[] }): ReactNode {
  return (
    <div className={classes.room}>
      <div className={classes.grid}>
        {specs.map((spec) => (
          <StepChart key={spec.id} spec={spec} />
        ))}
      </div>
    </div>
  );
}
