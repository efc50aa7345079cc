/** Right answers that were not worked out: found in the evaluations of a run, because steps do not check working. */
import { newcombe95 } from '@rl-playground/base/intervals';
import { findTask } from '@rl-playground/tasks/parts';
import type { EvalResult } from '../../loop/evaluate.ts';
import { wrongWorking } from '../../loop/working.ts';
import type { RunConfig } from '../../settings/schema/schema.ts';
import { percent, type Cure, type Diagnosis } from './diagnosis.ts';
import { MOST_GUESSED } from './lines.ts';

/** The weight of right working and the β of KL with which gcd learned no shortcut (lab/notes/experiments.md). */
const PAID = 2;
const HELD = 0.3;

/** The shares of right answers with wrong working, where there are surely more of them than before and they are most. */
interface Shortcut {
  /** It is null if no right answer showed working before. */
  readonly from: number | null;
  readonly to: number;
}

function shortcutBetween(before: EvalResult, after: EvalResult): Shortcut | null {
  const [then, now] = [wrongWorking(before), wrongWorking(after)];
  if (now === null || now.share < MOST_GUESSED) return null;
  const rise = then && newcombe95(then.share, then.n, now.share, now.n);
  const sure = rise ? rise.low > 0 : (now.interval?.low ?? 0) > MOST_GUESSED;
  return sure ? { from: then?.share ?? null, to: now.share } : null;
}

/** Pay for working alone holds nothing: a guess is learned within a few steps, before right working is. */
function heldWorking({ task, taskConfig, klBeta }: RunConfig): Cure {
  const canPay =
    findTask(task)?.fields['step_weight'] !== undefined && Number(taskConfig['step_weight'] ?? 0) < PAID;
  const canHold = klBeta < HELD;
  if (!canPay && !canHold) return { text: 'Ask easier problems, which the model can work out.', changes: {} };
  const ways = [
    ...(canPay ? [`a weight of ${PAID} for right working`] : []),
    ...(canHold ? [`a KL penalty of ${HELD}, which holds the model near its start`] : []),
  ];
  return {
    text: `Train with ${ways.join(' and ')}.`,
    changes: {
      ...(canPay && { taskConfig: { ...taskConfig, step_weight: PAID } }),
      ...(canHold && { klBeta: HELD }),
    },
  };
}

/** The diagnosis of two evaluations of a run, or null if it found no shortcut. */
export function shortcutFound(before: EvalResult, after: EvalResult, config: RunConfig): Diagnosis | null {
  const shortcut = shortcutBetween(before, after);
  if (shortcut === null) return null;
  const was = shortcut.from === null ? '' : `; before training it was ${percent(shortcut.from)}`;
  return {
    id: 'wrong-working',
    title: 'Right answers with wrong working',
    cause:
      'A guess that is often right earns nearly as much as working the problem out, and is easier to learn.',
    cure: heldWorking(config),
    strength: 1,
    seen: `The working is wrong in ${percent(shortcut.to)} of the right answers to held-out problems${was}.`,
  };
}
