/** How far the current run is: for the eye, and spoken. */
import { type ComponentType, type ReactNode } from 'react';
import type { RunPhase } from '@rl-playground/run/session';
import { clock, count, percent } from '../../ui/text/format.ts';
import { isUnderWay, PHASE_LABELS, phaseHint } from '../state/phases.ts';
import { useRun } from '../state/runStore.ts';
import { quietText, useQuietSeconds } from './quiet.ts';
import classes from './transport.module.css';

function Fact({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd className="number">{value}</dd>
    </div>
  );
}

/** The run's share that is done. The words beside it carry the same, so screen readers skip it. */
function ProgressBar({ share, active }: { share: number; active: boolean }): ReactNode {
  const width = `${Math.min(1, Math.max(0, share)) * 100}%`;
  return (
    <div className={classes.bar} aria-hidden="true">
      <div className={`${classes.fill} ${active ? classes.active : ''}`} style={{ width }} />
    </div>
  );
}

interface LiveStatusProps {
  readonly phase: RunPhase;
  readonly step: number;
  readonly totalSteps: number;
  readonly quiet: boolean;
}

/** The id of what says in a sentence what is going on: with it Train says why it can't be pressed. */
export const STATUS_DETAIL = 'status-detail';

/** Spoken status: every change of phase, and while training every tenth of the run rather than every step. */
function LiveStatus({ phase, step, totalSteps, quiet }: LiveStatusProps): ReactNode {
  const every = Math.max(1, Math.floor(totalSteps / 10));
  const milestone = Math.floor(step / every) * every;
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {PHASE_LABELS[phase]}
      {totalSteps > 0 && milestone > 0 && `, step ${milestone} of ${totalSteps}`}
      {quiet && '. No news for a while.'}
    </p>
  );
}

/** What a run is called. */
export type RunTitleComponent = ComponentType<{ readonly run: string }>;

interface StatusLineProps {
  /** Train waits for something, which is said beside. */
  readonly blocked: boolean;
  readonly RunTitle: RunTitleComponent;
}

/** Phase, step, speed and time of the current run. */
export function StatusLine({ blocked, RunTitle }: StatusLineProps): ReactNode {
  const snapshot = useRun((state) => state.snapshot);
  const { phase, run, step, totalSteps, progress, wallSeconds } = snapshot;
  const running = isUnderWay(phase) || phase === 'finished';
  const hint = blocked && phase === 'idle' ? 'Train can’t start yet.' : phaseHint(phase, step);
  const detail = progress?.label ?? hint;
  const rate = progress?.tokensPerSecond;
  const quiet = useQuietSeconds(snapshot);
  return (
    <div className={classes.status} data-testid="status" data-phase={phase} data-step={step}>
      <div className={classes.statusText}>
        <span className={classes.phase} data-phase={phase}>
          {PHASE_LABELS[phase]}
        </span>
        <span className={classes.detail} id={STATUS_DETAIL}>
          {run !== null && <RunTitle run={run} />}
          {detail}
          {progress !== null && progress.total > 0 && ` (${percent(progress.done / progress.total, 0)})`}
          {quiet !== null && ` · ${quietText(quiet, phase)}`}
        </span>
      </div>
      <ProgressBar
        share={
          (phase === 'loading' || phase === 'sft') && progress !== null && progress.total > 0
            ? progress.done / progress.total
            : totalSteps > 0
              ? step / totalSteps
              : 0
        }
        active={phase === 'sft' || phase === 'training' || phase === 'evaluating' || phase === 'loading'}
      />
      <dl className={classes.facts}>
        <Fact name="step" value={totalSteps > 0 ? `${count(step)} of ${count(totalSteps)}` : count(step)} />
        <Fact name="tokens/s" value={count(rate)} />
        <Fact name="time left" value={clock(progress?.secondsLeft)} />
        <Fact name="elapsed" value={running || wallSeconds > 0 ? clock(wallSeconds) : '–'} />
      </dl>
      <LiveStatus phase={phase} step={step} totalSteps={totalSteps} quiet={quiet !== null} />
    </div>
  );
}
