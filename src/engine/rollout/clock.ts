/** Time: of events, on one clock for all threads, and of work, which may be interrupted. */

/** Milliseconds since 1970, with fractions; never goes back within a thread. */
export function millisecondsNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Counts the seconds between `start` and `stop`, over any number of times. */
export class Stopwatch {
  #seconds = 0;
  #started: number | null = null;

  /** What has been counted so far, running or not. */
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
