/** Connections that take nothing of what is sent. */
import { BusyError, STALL_MILLISECONDS } from '@rl-playground/engine/parts';

/** Gives a connection up that takes nothing for a while. Under Node nobody hears how far a request's body is, so there it never does. */
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

  /** Something has happened; `waits`: and more is to come of the connection. */
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
