/** Writes a page's reports of its run into the run directory, and fetches its checkpoints: those asked for by step, and one a minute. */
import { messageOf } from '@rl-playground/base/errors';
import { WriteError } from '@rl-playground/run/disk';
import { printProblem } from '@rl-playground/base/print';
import type { RunFolder } from './runDirectory.ts';
import type { RunUpdate, TrainPage } from './trainPage.ts';

/** The milliseconds between two checkpoints that the settings do not ask for: the most that is lost, besides the step under way. */
const SAVE_EVERY = 60_000;

export class RunRecorder {
  readonly #folder: RunFolder;
  readonly #page: Pick<TrainPage, 'checkpoint'>;
  readonly #full: boolean;
  readonly #saveEvery: number;
  /** Checkpoints are written one after the other. */
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #broken = false;
  #reject: (error: unknown) => void = () => {};
  /** Rejects once something could not be written. The run must end then. */
  readonly failed: Promise<never>;

  /** `full` puts the base of an adapter into each checkpoint; `saveEvery` is in milliseconds. */
  constructor(
    folder: RunFolder,
    page: Pick<TrainPage, 'checkpoint'>,
    { full, saveEvery = SAVE_EVERY }: { readonly full: boolean; readonly saveEvery?: number },
  ) {
    this.#folder = folder;
    this.#page = page;
    this.#full = full;
    this.#saveEvery = saveEvery;
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // Whoever awaits the promise gets the error; without that it is no failure of the program.
    this.failed.catch(() => {});
  }

  /** Writes what is new. Once something could not be written, nothing else is. */
  record({
    sft,
    sftTokens,
    metrics,
    evaluations,
    rolloutLines,
    savedCheckpoints,
    overriddenPlan,
  }: RunUpdate): void {
    if (this.#broken) return;
    try {
      if (overriddenPlan) this.#folder.overriddenPlan(overriddenPlan);
      this.#folder.sft(sft, sftTokens);
      this.#folder.log(metrics, evaluations);
      this.#folder.rollouts(rolloutLines);
    } catch (error) {
      this.#fail(error);
    }
    for (const step of savedCheckpoints) this.#save(step);
  }

  /** Saves once a minute from now on. The page gives a checkpoint when its present step has ended. */
  begin(): void {
    this.#timer = setTimeout(() => this.#save('now'), this.#saveEvery).unref();
  }

  /** Stops saving by itself, and resolves when everything that was asked for is written. */
  async end(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#writing;
  }

  #save(step: number | 'now'): void {
    this.#writing = this.#writing.then(async () => {
      if (this.#broken) return;
      try {
        const zip = await this.#page.checkpoint(step, { full: this.#full });
        await (step === 'now' ? this.#folder.timedCheckpoint(zip) : this.#folder.checkpoint(step, zip));
      } catch (error) {
        if (error instanceof WriteError) this.#fail(error);
        else printProblem(`A checkpoint was not written: ${messageOf(error)}`);
      }
      this.#timer?.refresh();
    });
  }

  #fail(error: unknown): void {
    this.#broken = true;
    this.#reject(error);
  }
}
