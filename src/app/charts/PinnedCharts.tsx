import type { ReactNode } from 'react';
import { useChartView } from './chartView.ts';
import { chartById } from './specs/find.ts';
import { StepChart } from './StepChart.tsx';
import classes from './charts.module.css';

/** Charts that a person has put beside the main ones. */
export function PinnedCharts(): ReactNode {
  const pinned = useChartView((view) => view.pinned);
  const specs = pinned.flatMap((id) => chartById(id) ?? []);
  if (specs.length === 0) return null;
  return (
    <section aria-label="Pinned charts" className={classes.more} data-testid="pinned-charts">
      {specs.map((spec) => (
        <StepChart key={spec.id} spec={spec} />
      ))}
    </section>
  );
}
