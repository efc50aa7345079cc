import type { ReactNode } from 'react';
import { useCharts } from '../arms/chartsStore.ts';
import { ChartGrid } from './ChartGrid.tsx';
import { chartById } from './specs/find.ts';
import { StepChart } from './StepChart.tsx';

/** Charts that a person has put beside the main ones. */
export function PinnedCharts(): ReactNode {
  const pinned = useCharts(({ view }) => view.pinned);
  const specs = pinned.flatMap((id) => chartById(id) ?? []);
  if (specs.length === 0) return null;
  return (
    <section aria-label="Pinned charts" data-testid="pinned-charts">
      <ChartGrid>
        {specs.map((spec) => (
          <StepChart key={spec.id} spec={spec} />
        ))}
      </ChartGrid>
    </section>
  );
}
