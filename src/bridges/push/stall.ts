import { BusyError, STALL_MILLISECONDS } from '@rl-playground/engine/parts';

/** Gives a connection up that takes nothing for a while. It never does so under Node, where nobody hears how far a request's body is. */
export class Stall {
  readonly #stop = new AbortController();
  readonly #milliseconds: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds = STALL_MILLISECONDS) {
    this.#milliseconds = milliseconds;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Says that something has happened, and whether the connection has to take more. */
  heard(waits: boolean): void {
    clearTimeout(this.#timer);
    if (!waits || typeof XMLHttpRequest === 'undefined') return;
    this.#timer = setTimeout(() => {
      const seconds = Math.round(this.#milliseconds / 1000);
      this.#stop.abort(new BusyError(`nothing was taken for ${seconds} s`));
    }, this.#milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
