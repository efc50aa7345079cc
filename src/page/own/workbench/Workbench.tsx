import type { ReactNode } from 'react';
import { ASK_ID } from '../../ui/open/places.ts';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';

const CalculatorPanel = lazyPart(
  async () => (await import('../calculator/RewardCalculator.tsx')).CalculatorPanel,
);
const AskModel = lazyPart(async () => (await import('../../see/evaluation/AskModel.tsx')).AskModel);
const ClassPanel = lazyPart(async () => (await import('../../keep/share/ClassPanel.tsx')).ClassPanel);
const CustomTaskPanel = lazyPart(async () => (await import('../custom/CustomTaskPanel.tsx')).CustomTaskPanel);

const ZooPanel = lazyPart(async () => (await import('../../learn/zoo/ZooPanel.tsx')).ZooPanel);

/** The folded tools at the end of the page. */
export function Workbench(): ReactNode {
  return (
    <>
      <section className="panel" aria-label="Ask the model" id={ASK_ID}>
        <Fold title="Ask the model" note="a problem of your own, before training and now" part="ask">
          <AskModel />
        </Fold>
      </section>
      <section className="panel" aria-label="Failure zoo">
        <Fold title="Failure zoo" note="twelve short runs that go wrong, the alarm for each, and the cure">
          <ZooPanel />
        </Fold>
      </section>
      <section className="panel" aria-label="Reward calculator">
        <Fold title="Reward calculator" note="edit an answer and see every part of its reward">
          <CalculatorPanel />
        </Fold>
      </section>
      <section className="panel" aria-label="Your own task">
        <Fold title="Your own task" note="your questions and answers, your grader or program" part="ownTasks">
          <CustomTaskPanel />
        </Fold>
      </section>
      <section className="panel" aria-label="For a class">
        <Fold title="For a class" note="a link to a reduced page, and runs that are handed in and checked">
          <ClassPanel />
        </Fold>
      </section>
    </>
  );
}
