/**
 * Whether the caller of kernels had better work alone for a while. On a machine that is busy with other things the system stops a thread
 * that has a part in hand, and the caller spins until it goes on: for tens of milliseconds, in which a page answers nobody. Results are
 * the same to the bit either way.
 */

/** Milliseconds of shared kernels after which they are judged. */
const WINDOW = 20;
/** Milliseconds alone before threads are tried again: doubled where they are found no better, up to the longest. */
const SHORTEST = 200;
const LONGEST = 5000;

/** One kernel that was shared out. Milliseconds. */
export interface SharedRound {
  /** In which the caller computed its parts. */
  readonly worked: number;
  /** From the offer to the last part's end. */
  readonly took: number;
  readonly parts: number;
  /** Of them the caller's. */
  readonly own: number;
}

export class Crowding {
  #took = 0;
  /** What the caller would have taken for all parts, by those that it computed. */
  #alone = 0;
  #pause = SHORTEST;
  #until = -Infinity;

  /** `now`: milliseconds of the clock that `ended` is told too. */
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
