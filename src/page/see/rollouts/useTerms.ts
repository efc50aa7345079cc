import { useEffect, useState } from 'react';
import type { LossAnswer, TokenTerms } from '@rl-playground/run/inspect/terms';
import { useRun } from '../../run/state/runStore.ts';

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
  const [found, setFound] = useState({ of: some, terms: NONE });
  useEffect(() => {
    let wanted = true;
    const compute = async (): Promise<void> => {
      if (config === null || some.length === 0) return;
      const { tokenTerms } = await import('@rl-playground/run/inspect/terms');
      const all = await tokenTerms(answers, config, new Set(some));
      const terms = answers.flatMap((answer, i) => (all[i] ? [[answer, all[i]] as const] : []));
      if (wanted) setFound({ of: some, terms: new Map(terms) });
    };
    void compute();
    return () => {
      wanted = false;
    };
  }, [config, answers, some]);
  return found.of === some ? found.terms : NONE;
}
