/** The meaning of each phase of a run for the page. */
import type { RunPhase, RunSnapshot, RunController } from '@rl-playground/run/session';

const BUSY: ReadonlySet<RunPhase> = new Set(['sft', 'evaluating', 'training', 'pausing', 'stopping']);
const STOPPABLE: ReadonlySet<RunPhase> = new Set(['sft', 'training', 'evaluating', 'paused', 'pausing']);

/** True while Pause or Stop can end some work. */
export function isBusy(phase: RunPhase): boolean {
  return BUSY.has(phase);
}

export function isStoppable(phase: RunPhase): boolean {
  return STOPPABLE.has(phase);
}

/** True while Train would go on with a run, most of whose settings are fixed. */
export function isUnderWay(phase: RunPhase): boolean {
  return isBusy(phase) || phase === 'paused' || phase === 'stopped';
}

export const PHASE_LABELS: Readonly<Record<RunPhase, string>> = {
  idle: 'Ready',
  loading: 'Loading',
  sft: 'Supervised warm-up',
  evaluating: 'Evaluating',
  training: 'Training',
  pausing: 'Pausing after this step',
  paused: 'Paused',
  stopping: 'Stopping',
  stopped: 'Stopped',
  finished: 'Finished',
  failed: 'Failed',
};

const HINTS: Readonly<Record<RunPhase, string>> = {
  idle: 'Press Train to start learning. The charts and answers below then update with every step.',
  loading: 'Preparing the model. This takes a moment the first time.',
  sft: 'The model learns from worked examples. Reinforcement learning begins after that.',
  evaluating: 'The model answers held-out problems.',
  training: 'In each step the model answers, its answers are scored, and its weights change a little.',
  pausing: 'The current step finishes first.',
  paused: 'Press Continue to train on, or Step for exactly one more update.',
  stopping: 'The current step finishes, then the model is evaluated.',
  stopped: 'Weights and curves are kept. Continue, download them, or Reset.',
  finished: 'Done. The result is below. “New run” starts another.',
  failed: 'The message below says why and what to do.',
};

/** `made`: the updates so far, those of a warm-up included. */
export function phaseHint(phase: RunPhase, step: number, made: number): string {
  if (phase === 'idle' && step > 0) return `Checkpoint of step ${step} loaded. Train continues from there.`;
  if (phase === 'paused' && made === 0) return 'Press Train to continue, or Step for exactly one update.';
  if (phase === 'stopped' && made === 0)
    return 'It ended before its first update. Press Train to go on, or Reset.';
  return HINTS[phase];
}

/** True if a new action may begin: a model is there and nothing is running. */
export function canStart(snapshot: Pick<RunSnapshot, 'phase' | 'modelName'>): boolean {
  return snapshot.modelName !== null && snapshot.phase !== 'loading' && !isBusy(snapshot.phase);
}

/** True if there is a run to leave: one that rests anywhere but at its beginning, or a record that an idle one shows. */
export function canReset(
  snapshot: Pick<RunSnapshot, 'phase' | 'step' | 'sft' | 'metrics' | 'evaluations'>,
): boolean {
  const { phase, step, sft, metrics, evaluations } = snapshot;
  if (phase === 'idle') return step + sft.losses.length + metrics.length + evaluations.length > 0;
  return phase !== 'loading' && !isBusy(phase);
}

/** Resolves as soon as something holds, which is asked again at each piece of news. */
export function until(holds: () => boolean, subscribe: (listener: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds()) return;
      leave();
      resolve();
    };
    const leave = subscribe(look);
    look();
  });
}

/** Pauses the run, and resolves when the current step has ended. */
export function atRest(controller: RunController): Promise<void> {
  const rests = (): boolean => !isBusy(controller.snapshot().phase);
  if (!rests()) controller.pause();
  return until(rests, (listener) => controller.subscribe(listener));
}
