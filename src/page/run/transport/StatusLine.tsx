/** The progress of the current run, for the eye and for screen readers. */
import { useEffect, useState, type ComponentType, type ReactNode } from 'react';
import type { RunPhase, RunSnapshot } from '@rl-playground/run/session';
import { clock, count, percent } from '../../ui/text/format.ts';
import { isBusy, isUnderWay, PHASE_LABELS, phaseHint } from '../state/phases.ts';
import { Facts } from '../../ui/parts/words.tsx';
import { useRun } from '../state/runStore.ts';
import classes from './transport.module.css';

/** Seconds without news until a sentence says so. */
const QUIET_AFTER = 10;

/** The seconds without news of a run at work or of the page as it loads; null for fewer than ten. */
function useQuietSeconds(snapshot: RunSnapshot): number | null {
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
const quietText = (seconds: number, phase: RunPhase): string =>
  `No update for ${seconds} s; the page keeps waiting.${
    phase === 'loading' ? '' : ' A generator that does not respond is replaced, and the page then says so.'
  }`;

/** The id of the sentence on what is going on. It also tells why Train can't be pressed. */
export const STATUS_DETAIL = 'status-detail';

/** The spoken status: every change of phase and, in training, every tenth of the run instead of every step. */
function LiveStatus({ quiet }: { readonly quiet: boolean }): ReactNode {
  const { phase, step, totalSteps } = useRun((state) => state.snapshot);
  const every = Math.max(1, Math.floor(totalSteps / 10));
  const milestone = Math.floor(step / every) * every;
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {PHASE_LABELS[phase]}
      {totalSteps > 0 && milestone > 0 && `, step ${milestone} of ${totalSteps}`}
      {quiet && '. No update for a while.'}
    </p>
  );
}

/** Draws the name of a run. */
export type RunTitleComponent = ComponentType<{ readonly run: string }>;

interface StatusLineProps {
  /** True while something keeps Train from starting, which is said beside it. */
  readonly blocked: boolean;
  readonly RunTitle: RunTitleComponent;
}

/** Phase, step, speed and time of the current run. */
export function StatusLine({ blocked, RunTitle }: StatusLineProps): ReactNode {
  const snapshot = useRun((state) => state.snapshot);
  const { phase, run, step, totalSteps, progress, wallSeconds, sft } = snapshot;
  const running = isUnderWay(phase) || phase === 'finished';
  const hint =
    blocked && phase === 'idle' ? 'Train can’t start yet.' : phaseHint(phase, step, step + sft.losses.length);
  const detail = progress?.label ?? hint;
  const [done, total] =
    (phase === 'loading' || phase === 'sft') && progress !== null && progress.total > 0
      ? [progress.done, progress.total]
      : [step, totalSteps];
  const share = total > 0 ? done / total : 0;
  const quiet = useQuietSeconds(snapshot);
  return (
    <div className={classes.status} data-testid="status" data-phase={phase} data-step={step}>
      <div className={classes.statusText}>
        <span className={classes.phase} data-phase={phase}>
          {PHASE_LABELS[phase]}
        </span>
        <span className="quiet" id={STATUS_DETAIL}>
          {run !== null && <RunTitle run={run} />}
          {detail}
          {progress !== null && progress.total > 0 && ` (${percent(progress.done / progress.total, 0)})`}
          {quiet !== null && ` · ${quietText(quiet, phase)}`}
        </span>
      </div>
      {/* Screen readers skip the bar, because the words beside it say the same. */}
      <div
        className={classes.bar}
        aria-hidden="true"
        style={{ backgroundSize: `${Math.min(1, share) * 100}% 100%` }}
      />
      <Facts
        className={classes.facts}
        entries={[
          ['step', totalSteps > 0 ? `${count(step)} of ${count(totalSteps)}` : count(step)],
          ['tokens/s', count(progress?.tokensPerSecond)],
          ['time left', clock(progress?.secondsLeft)],
          ['elapsed', running || wallSeconds > 0 ? clock(wallSeconds) : '–'],
        ]}
      />
      <LiveStatus quiet={quiet !== null} />
    </div>
  );
}
