import type { ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { useApp } from '../store.ts';
import { ChartPanel } from './ChartPanel.tsx';
import type { ChartSpec } from './chartSpecs.ts';

/** A panel for each chart of the run at hand, in the order of the list. */
export function ChartPanels({ specs }: { specs: readonly ChartSpec[] }): ReactNode {
  const { metrics, evaluations, totalSteps } = useApp(
    useShallow(({ snapshot }) => ({
      metrics: snapshot.metrics,
      evaluations: snapshot.evaluations,
      totalSteps: snapshot.totalSteps,
    })),
  );
  return specs.map((spec) => (
    <ChartPanel
      key={spec.id}
      spec={spec}
      metrics={metrics}
      evaluations={evaluations}
      totalSteps={totalSteps}
    />
  ));
}
