/**
 * Decides whether the caller of kernels works alone for a while. On a machine that is busy with other things the system stops a thread
 * that has taken a part, and the caller spins until it goes on: for tens of milliseconds, in which a page answers nobody. Results are the
 * same to the bit either way.
 */

/** The milliseconds of shared kernels after which they are judged. */
const WINDOW = 20;
/** The milliseconds alone before threads are tried again. The pause is doubled up to the longest if they are found no better. */
const SHORTEST = 200;
const LONGEST = 5000;

/** One kernel that was shared out. Times are in milliseconds. */
export interface SharedRound {
  /** The time in which the caller computed its parts. */
  readonly worked: number;
  /** The time from the offer to the end of the last part. */
  readonly took: number;
  readonly parts: number;
  /** The number of parts that the caller computed. */
  readonly own: number;
}

export class Crowding {
  #took = 0;
  /** The time that the caller alone would have taken for all parts, judged by those that it computed. */
  #alone = 0;
  #pause = SHORTEST;
  #until = -Infinity;

  /** `now` is the time in milliseconds, by the same clock as for `ended`. */
  worksAlone(now: number): boolean {
    return now < this.#until;
  }

  ended({ worked, took, parts, own }: SharedRound, now: number): void {
    this.#took += took;
    this.#alone += own > 0 ? (worked / own) * parts : took;
    if (this.#took < WINDOW) return;
    if (this.#took > this.#alone) {
      this.#until = now + this.#pause;
      this.#pause = Math.min(2 * this.#pause, LONGEST);
    } else this.#pause = SHORTEST;
    this.#took = 0;
    this.#alone = 0;
  }
}
