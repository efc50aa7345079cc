import type { ReactNode } from 'react';
import type { RunPhase } from '../../run/types.ts';
import { phaseLabel } from './phases.ts';

interface LiveStatusProps {
  readonly phase: RunPhase;
  readonly step: number;
  readonly totalSteps: number;
}

/** Spoken status: every change of phase, and while training every tenth of the run rather than every step. */
export function LiveStatus({ phase, step, totalSteps }: LiveStatusProps): ReactNode {
  const every = Math.max(1, Math.floor(totalSteps / 10));
  const milestone = Math.floor(step / every) * every;
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {phaseLabel(phase)}
      {totalSteps > 0 && milestone > 0 && `, step ${milestone} of ${totalSteps}`}
    </p>
  );
}
