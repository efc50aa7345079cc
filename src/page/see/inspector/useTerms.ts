/** What the tokens of some answers add to the loss of their step. */
import { useEffect, useState } from 'react';
import type { TokenTerms } from '../../../run/inspect/tokenTerms.ts';
import type { RecordedRollout } from '../../../run/records/rolloutRecord.ts';
import { useRun } from '../../run/state/runStore.ts';

const NONE: ReadonlyMap<number, TokenTerms> = new Map();

/** By place among `answers`, which are all of a step; empty while they are computed, and without what was left out of the update. */
export function useTerms(
  answers: readonly RecordedRollout[],
  places: readonly number[],
): ReadonlyMap<number, TokenTerms> {
  const config = useRun((state) => state.snapshot.config);
  const [found, setFound] = useState({ answers, terms: NONE });
  useEffect(() => {
    let wanted = true;
    const compute = async (): Promise<void> => {
      if (config === null || answers.length === 0) return;
      const { tokenTerms } = await import('../../../run/inspect/tokenTerms.ts');
      const only = new Set(places.flatMap((place) => answers[place] ?? []));
      const all = await tokenTerms(answers, config, only);
      const terms = new Map(places.flatMap((place) => (all[place] ? [[place, all[place]] as const] : [])));
      if (wanted) setFound({ answers, terms });
    };
    void compute();
    return () => {
      wanted = false;
    };
  }, [config, answers, places]);
  return found.answers === answers ? found.terms : NONE;
}
