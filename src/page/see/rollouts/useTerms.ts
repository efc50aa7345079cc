import { useCallback } from 'react';
import type { LossAnswer, TokenTerms } from '@rl-playground/run/inspect/terms';
import { useRun } from '../../run/state/runStore.ts';
import { useLoaded } from '../../ui/draw/useLoaded.ts';

const NONE: ReadonlyMap<unknown, TokenTerms> = new Map();

/**
 * The terms in the loss of `some` of the answers of a step. The map is empty while they are computed, and lacks what was left out of the
 * update.
 */
export function useTerms<Answer extends LossAnswer>(
  answers: readonly Answer[],
  some: readonly Answer[],
): ReadonlyMap<unknown, TokenTerms> {
  const config = useRun((state) => state.snapshot.config);
  const compute = useCallback(async () => {
    if (config === null || some.length === 0) return NONE;
    const { tokenTerms } = await import('@rl-playground/run/inspect/terms');
    const all = await tokenTerms(answers, config, new Set(some));
    return new Map(answers.flatMap((answer, i) => (all[i] ? [[answer, all[i]] as const] : [])));
  }, [config, answers, some]);
  const { value, stale } = useLoaded<ReadonlyMap<unknown, TokenTerms>>(compute);
  return stale || value === null ? NONE : value;
}
