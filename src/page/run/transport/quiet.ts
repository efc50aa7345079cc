/** Tells a person that the page still waits for work that gives no news. */
import { useEffect, useState } from 'react';
import type { RunPhase, RunSnapshot } from '@rl-playground/run/session';
import { isBusy } from '../state/phases.ts';

/** Seconds without news until a sentence says so. */
const QUIET_AFTER = 10;

/** The seconds without news of a run at work or of the page as it loads; null for fewer than ten. */
export function useQuietSeconds(snapshot: RunSnapshot): number | null {
  const { phase, step, progress, metrics, evaluations, sft } = snapshot;
  const waits = isBusy(phase) || phase === 'loading';
  const made = [step, metrics.length, evaluations.length, sft.losses.length];
  const news = [phase, progress?.label, progress?.done, ...made].join();
  const [quiet, setQuiet] = useState({ news, seconds: 0 });
  useEffect(() => {
    if (!waits) return;
    const since = performance.now();
    const tick = (): void => setQuiet({ news, seconds: Math.floor((performance.now() - since) / 1000) });
    const ticking = setInterval(tick, 1000);
    return () => clearInterval(ticking);
  }, [waits, news]);
  return waits && quiet.news === news && quiet.seconds >= QUIET_AFTER ? quiet.seconds : null;
}

/** The sentence on the silence. Generators that stay silent are replaced (`src/base/deadline.ts`). */
export const quietText = (seconds: number, phase: RunPhase): string =>
  `No news for ${seconds} s; the page goes on waiting.${
    phase === 'loading' ? '' : ' A generator that stays silent is replaced, and the page says so then.'
  }`;
