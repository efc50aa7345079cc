/** The parts of a run directory beyond a run's metrics: the completions of every step, and the checkpoints asked for on the way. */
import { joined, openBytes, type OpenFile } from '@rl-playground/engine/parts';
import type { Rollout } from '../rollouts/rollout.ts';
import type { Plan } from '../plan/types.ts';
import { RolloutIndex } from './rolloutIndex.ts';
import { rolloutRecord } from './rolloutRecord.ts';

/** The limits beyond which the oldest are forgotten, never the newest. */
const LIMITS = {
  /** About 200,000 short answers. */
  rolloutCharacters: 64 * 1024 ** 2,
  checkpointBytes: 1024 ** 3,
};

export interface StepRollouts {
  readonly step: number;
  readonly lines: string;
}

export interface StoredRollouts {
  readonly steps: number;
  readonly file: OpenFile | null;
}

export interface SavedCheckpoint {
  readonly step: number;
  readonly files: ReadonlyMap<string, OpenFile>;
  /** True if the files take no memory here. */
  readonly stored?: boolean;
}

/** A plan by which a run does not fit into memory, though it was begun. */
export interface OverriddenPlan {
  /** The step at which it was begun or gone on with. */
  readonly step: number;
  readonly plan: Plan;
}

/** A run's name, and a person's note on it. */
export interface RunWords {
  readonly name: string;
  readonly note?: string | undefined;
}

const sizeOf = ({ files, stored = false }: SavedCheckpoint): number =>
  stored ? 0 : [...files.values()].reduce((sum, { size }) => sum + size, 0);

export class RunLog {
  readonly #limits: typeof LIMITS;
  #steps: StepRollouts[] = [];
  #checkpoints: SavedCheckpoint[] = [];
  /** Bytes of those checkpoints that are not stored elsewhere. */
  #checkpointBytes = 0;
  /** Lines that are kept elsewhere, in front of those here. */
  #stored: StoredRollouts = { steps: 0, file: null };
  readonly #index = new RolloutIndex();
  /** The newest one; null where the run was expected to fit. */
  overriddenPlan: OverriddenPlan | null = null;
  /** The words of a run directory that was opened, if it has any. */
  words: RunWords | null = null;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** The steps whose lines are here, in order. */
  get steps(): readonly StepRollouts[] {
    return this.#steps;
  }

  /** The checkpoints in the order of their steps. */
  get checkpoints(): readonly SavedCheckpoint[] {
    return this.#checkpoints;
  }

  /** `rollouts.jsonl`, as far as it is kept. */
  get rollouts(): OpenFile {
    const here = openBytes(new TextEncoder().encode(this.#steps.map(({ lines }) => lines).join('')));
    const { file } = this.#stored;
    return file ? joined([file, here]) : here;
  }

  /** True if some lines are in a file, in front of those here. */
  get hasStored(): boolean {
    return this.#stored.file !== null;
  }

  /** Steps whose lines are kept, here or elsewhere. */
  get stepsKept(): number {
    return this.#stored.steps + this.#steps.length;
  }

  /** The steps whose lines can be read, in order. @throws Error where the file of the lines can't be. */
  async readableSteps(): Promise<readonly number[]> {
    const { file } = this.#stored;
    const stored = file ? await this.#index.steps(file) : [];
    return [...new Set([...stored, ...this.#steps.map(({ step }) => step)])];
  }

  /** The lines of one of these steps; null where it has made room since. @throws likewise. */
  async linesOf(step: number): Promise<string | null> {
    const here = this.#steps.find((each) => each.step === step);
    const { file } = this.#stored;
    return here?.lines ?? (file && this.#index.lines(file, step));
  }

  /** The lines up to a step are in a file now, behind those of earlier steps, and leave the memory. */
  store(upTo: number, stored: StoredRollouts): void {
    this.#stored = stored;
    this.#steps = this.#steps.filter(({ step }) => step > upTo);
  }

  /** The newest step is always kept. */
  addStep(step: number, rollouts: readonly Rollout[]): void {
    const lines = rollouts.map((rollout) => `${JSON.stringify(rolloutRecord(step, rollout))}\n`);
    this.#steps.push({ step, lines: lines.join('') });
    let kept = this.#steps.reduce((sum, each) => sum + each.lines.length, 0);
    while (kept > this.#limits.rolloutCharacters && this.#steps.length > 1)
      kept -= this.#steps.shift()?.lines.length ?? 0;
  }

  addCheckpoint(step: number, files: ReadonlyMap<string, OpenFile>): void {
    const newest = { step, files };
    this.#checkpoints.push(newest);
    this.#checkpointBytes += sizeOf(newest);
    if (this.#checkpointBytes <= this.#limits.checkpointBytes) return;
    const leaving = new Set<SavedCheckpoint>();
    let kept = this.#checkpointBytes;
    for (const oldest of this.#checkpoints.slice(0, -1)) {
      if (kept <= this.#limits.checkpointBytes) break;
      if (oldest.stored === true) continue;
      kept -= sizeOf(oldest);
      leaving.add(oldest);
    }
    this.#keepCheckpoints(this.#checkpoints.filter((checkpoint) => !leaving.has(checkpoint)));
  }

  #keepCheckpoints(kept: SavedCheckpoint[]): void {
    this.#checkpoints = kept;
    this.#checkpointBytes = kept.reduce((sum, checkpoint) => sum + sizeOf(checkpoint), 0);
  }

  /** A checkpoint's files are elsewhere now, or it is one of the run's that was kept there before. */
  storeCheckpoint({ step, files }: SavedCheckpoint): void {
    const others = this.#checkpoints.filter((kept) => kept.step !== step);
    this.#keepCheckpoints([...others, { step, files, stored: true }].sort((a, b) => a.step - b.step));
  }

  /** Forgets steps that the run has gone back behind. */
  forgetAfter(step: number): void {
    this.#index.forgetAfter(step);
    this.#steps = this.#steps.filter((kept) => kept.step <= step);
    this.#keepCheckpoints(this.#checkpoints.filter((kept) => kept.step <= step));
  }

  releaseCheckpoint(step: number): void {
    this.#keepCheckpoints(this.#checkpoints.filter((checkpoint) => checkpoint.step !== step));
  }
}
