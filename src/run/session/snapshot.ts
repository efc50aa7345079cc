/** The snapshot that the page draws, and those that hear of its changes. */
import { Observed } from '@rl-playground/base/observed';
import { parameterCount } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { Notice, RunPhase, RunSnapshot } from './types.ts';

/** The snapshot before anything is loaded. */
export const EMPTY_SNAPSHOT: RunSnapshot = {
  phase: 'loading',
  run: null,
  backend: null,
  modelName: null,
  parameterCount: null,
  modelShape: null,
  promptStyle: null,
  modelIsOurs: true,
  baseApart: false,
  config: null,
  step: 0,
  totalSteps: 0,
  sft: { losses: [], tokens: [], total: 0 },
  preflight: null,
  metrics: [],
  evaluations: [],
  evaluating: [],
  rollouts: [],
  progress: null,
  notices: [],
  wallSeconds: 0,
};

/** The phase of a run that was opened from a checkpoint. */
export function restingPhase({ trainerState, runConfig }: CheckpointParts): RunPhase {
  if (trainerState === null) return 'idle';
  return runConfig !== null && trainerState.step >= runConfig.numSteps ? 'finished' : 'paused';
}

/** The part of the snapshot that is read from a checkpoint. `modelIsOurs`: see `RunSnapshot`. */
export function snapshotOf(
  { model, adapter, runConfig, trainerState: state, metrics, evaluations }: CheckpointParts,
  modelIsOurs: boolean,
): Partial<RunSnapshot> {
  return {
    modelName: model.name,
    parameterCount: parameterCount(model.config),
    modelShape: model.config,
    promptStyle: model.promptStyle,
    modelIsOurs,
    baseApart: adapter?.base === null,
    config: runConfig,
    step: state?.step ?? 0,
    totalSteps: runConfig?.numSteps ?? 0,
    sft: {
      losses: state?.sftLosses ?? [],
      tokens: state?.sftTokens ?? [],
      total: runConfig?.warmStartSteps ?? 0,
    },
    preflight: null,
    metrics,
    evaluations,
    rollouts: [],
    wallSeconds: state?.wallSeconds ?? 0,
  };
}

/** The run as it is shown. Its parts update the snapshot; the page draws it. */
export class ShownRun extends Observed<RunSnapshot> {
  #noticeCount = 0;

  constructor() {
    super(EMPTY_SNAPSHOT);
  }

  /** Shows that something is being loaded, and how much of it is there. */
  readonly loading = (label: string, done = 0, total = 0): void => {
    const progress = { label, done, total, tokensPerSecond: null, secondsLeft: null };
    this.update({ phase: 'loading', progress });
  };

  /** A note is about the last thing that was done: it takes the place of the note before, and of the errors that it comes after. */
  notify(notice: Omit<Notice, 'id'>): string {
    const id = `run-${++this.#noticeCount}`;
    const settled: readonly Notice['kind'][] =
      notice.kind === 'info' ? ['info', 'error'] : notice.kind === 'error' ? ['info'] : [];
    const staying = this.snapshot().notices.filter(({ kind }) => !settled.includes(kind));
    this.update({ notices: [...staying, { id, ...notice }] });
    return id;
  }

  dismiss(id: string): void {
    this.update({ notices: this.snapshot().notices.filter((notice) => notice.id !== id) });
  }
}
