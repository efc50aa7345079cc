/** Clocks: times of events, the same for all threads, and a stopwatch for work that may be interrupted. */

/** Milliseconds since 1970, with fractions. They never go back within a thread. */
export function millisecondsNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Counts the seconds between `start` and `stop`, which may be called many times. */
export class Stopwatch {
  #seconds = 0;
  #started: number | null = null;

  /** The seconds that were counted so far, whether or not the stopwatch runs. */
  get seconds(): number {
    const running = this.#started === null ? 0 : (performance.now() - this.#started) / 1000;
    return this.#seconds + running;
  }

  start(): void {
    this.#started ??= performance.now();
  }

  stop(): void {
    this.#seconds = this.seconds;
    this.#started = null;
  }
}
