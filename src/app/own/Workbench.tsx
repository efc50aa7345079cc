import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { Fold } from '../ui/Fold.tsx';
import { useOwnPanel } from './ownPanel.ts';

const CalculatorPanel = lazy(async () => ({
  default: (await import('../calculator/CalculatorPanel.tsx')).CalculatorPanel,
}));
const OwnTaskPanel = lazy(async () => ({ default: (await import('./OwnTaskPanel.tsx')).OwnTaskPanel }));

/** Two folded tools about tasks; what they need is fetched when they are opened. */
export function Workbench(): ReactNode {
  const open = useOwnPanel((state) => state.open);
  const loading = <p className="quiet">Loading…</p>;
  return (
    <>
      <section className="panel" aria-label="Reward calculator">
        <Fold title="Reward calculator" note="edit an answer and see every part of its reward">
          <Suspense fallback={loading}>
            <CalculatorPanel />
          </Suspense>
        </Fold>
      </section>
      <section className="panel" aria-label="Your own task">
        <Fold
          title="Your own task"
          note="your questions and answers, your grader or program"
          open={open}
          onOpen={(now) => useOwnPanel.setState({ open: now })}
        >
          <Suspense fallback={loading}>
            <OwnTaskPanel />
          </Suspense>
        </Fold>
      </section>
    </>
  );
}
