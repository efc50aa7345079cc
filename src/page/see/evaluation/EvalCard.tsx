import type { ReactNode } from 'react';
import { evaluateNow } from '../../run/actions/actions.ts';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { useRun } from '../../run/state/runStore.ts';

const Results = lazyPart(async () => (await import('./Results.tsx')).Results);

/** The results before the first update and at the last evaluation. */
export function EvalCard(): ReactNode {
  const evaluations = useRun((state) => state.snapshot.evaluations);
  const startable = useRun((state) => canStart(state.snapshot));
  const before = evaluations[0];
  const after = evaluations.findLast((result) => before !== undefined && result.step > before.step);
  return (
    <Panel
      title="Evaluation"
      aside={
        <ActionButton size="compact-xs" usable={startable} onClick={evaluateNow}>
          Evaluate now
        </ActionButton>
      }
    >
      {before === undefined ? (
        <p className="quiet">
          Before the first update and after the last one, the model answers problems that it is never trained
          on: sampled, greedily, and several times. The results will appear here side by side. They are the
          fair measure of what it learned.
        </p>
      ) : (
        <Results before={before} after={after} />
      )}
    </Panel>
  );
}
