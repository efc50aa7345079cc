/** What a run directory has beyond a run's metrics: the completions of every step, and the checkpoints asked for on the way. */
import type { Rollout } from '../../rl/loop/rollouts.ts';
import { rolloutLines } from './rolloutLines.ts';

/** Characters of rollouts that are kept; beyond it the oldest steps are forgotten. About 200,000 short answers. */
export const KEPT_ROLLOUT_CHARACTERS = 64 * 1024 ** 2;
/** Bytes of checkpoints that are kept; beyond it the oldest are forgotten, never the newest. */
export const KEPT_CHECKPOINT_BYTES = 1024 ** 3;

export interface RunLogLimits {
  readonly rolloutCharacters: number;
  readonly checkpointBytes: number;
}

export interface StepRollouts {
  readonly step: number;
  readonly lines: string;
}

export interface SavedCheckpoint {
  readonly step: number;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const sizeOf = ({ files }: SavedCheckpoint): number =>
  [...files.values()].reduce((sum, bytes) => sum + bytes.byteLength, 0);

export class RunLog {
  readonly #limits: RunLogLimits;
  #steps: StepRollouts[] = [];
  #checkpoints: SavedCheckpoint[] = [];
  #stepsForgotten = 0;

  constructor(
    limits: RunLogLimits = {
      rolloutCharacters: KEPT_ROLLOUT_CHARACTERS,
      checkpointBytes: KEPT_CHECKPOINT_BYTES,
    },
  ) {
    this.#limits = limits;
  }

  /** In order of steps. */
  get steps(): readonly StepRollouts[] {
    return this.#steps;
  }

  /** In order of steps. */
  get checkpoints(): readonly SavedCheckpoint[] {
    return this.#checkpoints;
  }

  /** Steps whose rollouts had to make room. */
  get stepsForgotten(): number {
    return this.#stepsForgotten;
  }

  /** The text of `rollouts.jsonl`, as far as it is kept. */
  get rollouts(): string {
    return this.#steps.map(({ lines }) => lines).join('');
  }

  /** The newest step is always kept. */
  addStep(step: number, rollouts: readonly Rollout[]): void {
    this.#steps.push({ step, lines: rolloutLines(step, rollouts) });
    let kept = this.#steps.reduce((sum, { lines }) => sum + lines.length, 0);
    while (kept > this.#limits.rolloutCharacters && this.#steps.length > 1) {
      kept -= this.#steps.shift()?.lines.length ?? 0;
      this.#stepsForgotten++;
    }
  }

  addCheckpoint(step: number, files: ReadonlyMap<string, Uint8Array>): void {
    this.#checkpoints.push({ step, files });
    let kept = this.#checkpoints.reduce((sum, checkpoint) => sum + sizeOf(checkpoint), 0);
    while (kept > this.#limits.checkpointBytes && this.#checkpoints.length > 1) {
      const oldest = this.#checkpoints.shift();
      kept -= oldest ? sizeOf(oldest) : 0;
    }
  }

  /** Forgets a checkpoint that is stored elsewhere now. */
  releaseCheckpoint(step: number): void {
    this.#checkpoints = this.#checkpoints.filter((checkpoint) => checkpoint.step !== step);
  }
}
