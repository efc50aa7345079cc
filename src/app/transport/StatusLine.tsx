import type { ReactNode } from 'react';
import { clock, count, percent } from '../format/format.ts';
import { isUnderWay, phaseHint, phaseLabel } from './phases.ts';
import { useApp } from '../store.ts';
import { LiveStatus } from './LiveStatus.tsx';
import { ProgressBar } from './ProgressBar.tsx';
import classes from './transport.module.css';

function Fact({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd className="number">{value}</dd>
    </div>
  );
}

/** Phase, step, speed and time of the run at hand. */
export function StatusLine(): ReactNode {
  const snapshot = useApp((state) => state.snapshot);
  const { phase, step, totalSteps, progress, wallSeconds } = snapshot;
  const running = isUnderWay(phase) || phase === 'finished';
  const detail = progress?.label ?? phaseHint(phase, step);
  const rate = progress?.tokensPerSecond;
  return (
    <div className={classes.status} data-testid="status" data-phase={phase} data-step={step}>
      <div className={classes.statusText}>
        <span className={classes.phase} data-phase={phase}>
          {phaseLabel(phase)}
        </span>
        <span className={classes.detail}>
          {detail}
          {progress !== null && progress.total > 0 && ` (${percent(progress.done / progress.total, 0)})`}
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
      <LiveStatus phase={phase} step={step} totalSteps={totalSteps} />
    </div>
  );
}
