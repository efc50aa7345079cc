/** What each phase of a run means for the page. */
import type { RunPhase, RunSnapshot } from '../../run/types.ts';

const BUSY: ReadonlySet<RunPhase> = new Set(['sft', 'evaluating', 'training', 'pausing', 'stopping']);
const STOPPABLE: ReadonlySet<RunPhase> = new Set(['sft', 'training', 'evaluating', 'paused', 'pausing']);

/** Work is under way that Pause or Stop can end. */
export function isBusy(phase: RunPhase): boolean {
  return BUSY.has(phase);
}

/** Stop has something to end. */
export function isStoppable(phase: RunPhase): boolean {
  return STOPPABLE.has(phase);
}

/** A run exists that Train goes on with: most of its settings can't change any more. */
export function isUnderWay(phase: RunPhase): boolean {
  return isBusy(phase) || phase === 'paused' || phase === 'stopped';
}

const LABELS: Readonly<Record<RunPhase, string>> = {
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

export function phaseLabel(phase: RunPhase): string {
  return LABELS[phase];
}

/** One sentence on what can be done now. */
export function phaseHint(phase: RunPhase, step: number): string {
  switch (phase) {
    case 'idle':
      return step > 0
        ? `Checkpoint of step ${step} loaded. Train goes on from there.`
        : 'Press Train: the model starts to learn, and everything below comes alive.';
    case 'loading':
      return 'Preparing the model. This takes a moment the first time.';
    case 'sft':
      return 'The model learns to write given answers. Reinforcement begins after that.';
    case 'evaluating':
      return 'The model answers problems that it is never trained on.';
    case 'training':
      return 'The model answers, is scored, and changes a little with every step.';
    case 'pausing':
      return 'The current step is completed first.';
    case 'paused':
      return 'Press Continue to go on, or Step for exactly one more update.';
    case 'stopping':
      return 'The current step ends, then the model is evaluated.';
    case 'stopped':
      return 'Weights and curves are kept. Continue, download them, or Reset.';
    case 'finished':
      return 'Download the checkpoint, or Reset to start over.';
    case 'failed':
      return 'The message below says why and what to do.';
  }
}

/** Whether a new action (train, step, evaluate, load, download) may begin: a model is there and nothing is running. */
export function canStart(snapshot: Pick<RunSnapshot, 'phase' | 'modelName'>): boolean {
  return snapshot.modelName !== null && snapshot.phase !== 'loading' && !isBusy(snapshot.phase);
}
