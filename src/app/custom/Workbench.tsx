import type { ReactNode } from 'react';
import { useApp } from '../store.ts';
import { Fold } from '../ui/Fold.tsx';
import { lazyPart } from '../ui/lazyPart.tsx';

const CalculatorPanel = lazyPart(
  async () => (await import('../calculator/RewardCalculator.tsx')).CalculatorPanel,
);
const AskModel = lazyPart(async () => (await import('../evaluation/AskModel.tsx')).AskModel);
const CustomTaskPanel = lazyPart(async () => (await import('./CustomTaskPanel.tsx')).CustomTaskPanel);

/** Folded tools: a question to the model, and two about tasks. */
export function Workbench(): ReactNode {
  const open = useApp((state) => state.customPanelOpen);
  return (
    <>
      <section className="panel" aria-label="Ask the model">
        <Fold title="Ask the model" note="the same question, before training and now">
          <AskModel />
        </Fold>
      </section>
      <section className="panel" aria-label="Reward calculator">
        <Fold title="Reward calculator" note="edit an answer and see every part of its reward">
          <CalculatorPanel />
        </Fold>
      </section>
      <section className="panel" aria-label="Your own task">
        <Fold
          title="Your own task"
          note="your questions and answers, your grader or program"
          open={open}
          onOpen={(now) => useApp.setState({ customPanelOpen: now })}
        >
          <CustomTaskPanel />
        </Fold>
      </section>
    </>
  );
}
