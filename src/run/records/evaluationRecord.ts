/** An evaluation as a line of `metrics.jsonl`: RL for Real's names, in percent, and Tinker's, as shares. */
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { taskRecord } from './taskRecord.ts';

/** Only lines of evaluations have it. */
export const EVALUATION_MARK = 'eval/step';

export function evaluationRecord({
  step,
  accuracy,
  format,
  n,
  tasks,
}: EvalResult): Record<string, number | null> {
  return {
    step,
    [EVALUATION_MARK]: step,
    'eval/accuracy': 100 * accuracy,
    'eval/format_score': 100 * format,
    'eval/num_correct': Math.round(accuracy * n),
    'eval/num_samples': n,
    'test/env/all/correct': accuracy,
    'test/env/all/format': format,
    ...Object.fromEntries(tasks.map((each) => [`eval/${each.task}/accuracy`, 100 * each.accuracy])),
    ...Object.fromEntries(Object.entries(taskRecord(tasks)).map(([name, value]) => [`test/${name}`, value])),
  };
}
