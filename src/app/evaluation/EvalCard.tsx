import type { ReactNode } from 'react';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { evaluateNow } from '../actions.ts';
import { count } from '../format/format.ts';
import { canStart } from '../transport/phases.ts';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/buttons.tsx';
import { Panel } from '../ui/Panel.tsx';
import { BeforeAfter } from './BeforeAfter.tsx';
import classes from './evaluation.module.css';

function Anchor({ testId, result }: { testId: string; result: EvalResult | undefined }): ReactNode {
  return (
    <span
      hidden
      data-testid={testId}
      data-step={result?.step}
      data-accuracy={result?.accuracy}
      data-format={result?.format}
    />
  );
}

function conditions(result: EvalResult): string {
  const sampling =
    result.temperature === 0 ? 'greedy (temperature 0)' : `sampled at temperature ${result.temperature}`;
  return `${count(result.n)} problems never trained on, one answer each, ${sampling}.`;
}

/** How good the model was before the first update and how good it is at the last evaluation. */
export function EvalCard(): ReactNode {
  const evaluations = useApp((state) => state.snapshot.evaluations);
  const startable = useApp((state) => canStart(state.snapshot));
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
      <Anchor testId="eval-before" result={before} />
      <Anchor testId="eval-after" result={after} />
      {before === undefined ? (
        <p className={classes.waiting}>
          Before the first update and after the last, the model answers problems that it is never trained on.
          Both results will stand here side by side: the fair measure of what it learned.
        </p>
      ) : (
        <>
          <BeforeAfter label="Accuracy" metric="accuracy" before={before} after={after} />
          <BeforeAfter label="Format" metric="format" before={before} after={after} />
          <p className={classes.conditions}>
            {conditions(before)} ± is the 95% Wilson interval: where the true share probably lies.
          </p>
        </>
      )}
    </Panel>
  );
}
