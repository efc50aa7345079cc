/** What a commit says of its run, so that lists need not open it. */
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { Session } from '../session/session.ts';
import type { CommitHead } from './keptRun.ts';

type Kept = Pick<Session, 'step' | 'sftLosses' | 'evaluations' | 'config'>;

/** A run without a session; null where the parts are of none. */
export function recordOf({ trainerState, evaluations, runConfig }: CheckpointParts): Kept | null {
  if (trainerState === null || runConfig === null) return null;
  const { step, sftLosses } = trainerState;
  return { step, sftLosses, evaluations, config: runConfig };
}

/** What a commit of a run says of it; null before its first update. */
export function headOf(run: Kept | null, modelName: string | null): CommitHead | null {
  if (run === null) return null;
  const { step, sftLosses, evaluations, config } = run;
  if (step === 0 && sftLosses.length === 0) return null;
  return {
    task: config.task,
    model: modelName ?? config.model,
    step,
    numSteps: config.numSteps,
    sftUpdates: sftLosses.length,
    evaluations: evaluations.length,
    passAtK: evaluations.filter((evaluation) => evaluation.passAtK).length,
    accuracy: evaluations.find((evaluation) => evaluation.step === step)?.accuracy ?? null,
  };
}
