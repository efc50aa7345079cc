import type { ReactNode } from 'react';
import type { RunProblem } from '@rl-playground/run/data';
import { evaluateNow } from '../../run/actions/actions.ts';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { outerEvaluations } from '../../run/state/outerEvaluations.ts';
import { useRun } from '../../run/state/runStore.ts';

const Results = lazyPart(async () => (await import('./Results.tsx')).Results);

/** The reason why nothing can be evaluated now. */
function useObstacle(): RunProblem | null {
  const controller = useRun((state) => state.controller);
  const config = useRun(({ snapshot }) => snapshot.config);
  const form = useForm((state) => state.form);
  // Rows and tasks that have come or were changed.
  useForm((state) => state.customTasks);
  useForm((state) => state.dataset.provided);
  return controller?.start.obstacle(config ?? form, 'evaluate') ?? null;
}

/** The results before the first update and at the last evaluation. */
export function EvalCard(): ReactNode {
  const obstacle = useObstacle();
  const evaluations = useRun((state) => state.snapshot.evaluations);
  const startable = useRun((state) => canStart(state.snapshot));
  const [before, after] = outerEvaluations(evaluations);
  return (
    <Panel
      title="Evaluation"
      aside={
        <ActionButton size="compact-xs" usable={startable && obstacle === null} onClick={evaluateNow}>
          Evaluate now
        </ActionButton>
      }
    >
      {startable && obstacle !== null && (
        <p className="quiet" role="status">
          {obstacle.title}. {obstacle.text}
        </p>
      )}
      {before === undefined ? (
        <p className="quiet">
          Before the first update and after the last one, the model answers held-out problems: sampled,
          greedy, and several times each. The results appear here; they measure what it learned.
        </p>
      ) : (
        <Results before={before} after={after} />
      )}
    </Panel>
  );
}
