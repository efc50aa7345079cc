import type { ReactNode } from 'react';
import { StepChart } from './StepChart.tsx';
import type { ChartSpec } from './specs/spec.ts';
import classes from './charts.module.css';

/** Charts side by side. */
export function ChartGrid({ specs }: { readonly specs: readonly ChartSpec[] }): ReactNode {
  return (
    <div className={`row ${classes.grid}`}>
      {specs.map((spec) => (
        <StepChart key={spec.id} spec={spec} />
      ))}
    </div>
  );
}
