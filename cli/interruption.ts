/** Ctrl-C while a run goes on. */

/** What a shell expects of a program that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** Ends a run when asked once, and the program when asked twice or before there is a run. */
export class Interruption {
  readonly #exit: (code: number) => void;
  #stop: (() => Promise<void>) | null = null;
  #asked = false;

  /** `exit`: ends the program. */
  constructor(exit: (code: number) => void) {
    this.#exit = exit;
  }

  /** Whether the run was asked to end. */
  get asked(): boolean {
    return this.#asked;
  }

  /** `stop`: from now on ends the run. */
  runs(stop: () => Promise<void>): void {
    this.#stop = stop;
  }

  /** Takes one Ctrl-C. */
  take(): void {
    const stop = this.#stop;
    if (stop === null || this.#asked) {
      this.#exit(INTERRUPTED);
      return;
    }
    this.#asked = true;
    console.error(
      'Stopping as the page’s Stop does: the current update is finished, then the weights are evaluated and kept. Ctrl-C again ends at once.',
    );
    stop().catch(() => this.#exit(INTERRUPTED));
  }
}
