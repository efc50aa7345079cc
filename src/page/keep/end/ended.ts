/** The first and the last evaluation of a run that has ended, for its result. */
import type { EvalResult } from '@rl-playground/run/loop';
import { useRun } from '../../run/state/runStore.ts';

/** Null while the run goes on, and where it was not evaluated at both ends. */
export function useEnded(): { readonly before: EvalResult; readonly after: EvalResult } | null {
  const phase = useRun(({ snapshot }) => snapshot.phase);
  const evaluations = useRun(({ snapshot }) => snapshot.evaluations);
  const before = evaluations[0];
  const after = evaluations.findLast(({ step }) => before !== undefined && step > before.step);
  return (phase === 'finished' || phase === 'stopped') && before && after ? { before, after } : null;
}
