/**
 * Which words of machines are looked at. To look at a signature takes time (15 ms of a page's thread where the browser has no Ed25519 of its own), and whoever has a
 * server's token can send words without end, under as many names as they like. So each second has room for a few words of each machine that has answered, and for a
 * number of all others together. Nobody reads the rest. A sound machine says each second that it is there, so it loses a moment.
 */

/** Words a second of one machine that has answered: it sends one, and another as it leaves. */
export const PROVEN_PER_SECOND = 4;
/** Words a second of all others together: a class that waits for a run. */
export const OTHERS_PER_SECOND = 60;
const SECOND = 1000;

export class FloodGate {
  readonly #now: () => number;
  readonly #mostOthers: number;
  #since = -Infinity;
  #others = 0;
  readonly #proven = new Map<string, number>();

  /** `others`: words a second of all those that have shown nothing; `now`: milliseconds. */
  constructor(others = OTHERS_PER_SECOND, now: () => number = () => performance.now()) {
    this.#mostOthers = others;
    this.#now = now;
  }

  /** Whether a word that came under this name is looked at. */
  admits(sender: string, isProven: boolean): boolean {
    const now = this.#now();
    if (now - this.#since >= SECOND) {
      this.#since = now;
      this.#others = 0;
      this.#proven.clear();
    }
    if (!isProven) return ++this.#others <= this.#mostOthers;
    const words = (this.#proven.get(sender) ?? 0) + 1;
    this.#proven.set(sender, words);
    return words <= PROVEN_PER_SECOND;
  }
}

/** How fast a queue is read in which strangers put what nobody wants. */
export class Brake {
  readonly #most: number;
  readonly #now: () => number;
  #since = -Infinity;
  #before = 0;

  /** `most`: of what nobody wants, read in a second; `now`: milliseconds. */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** Milliseconds to wait before more is read. `unwanted`: how much was read so far that nobody wants. */
  pause(unwanted: number): number {
    const now = this.#now();
    if (now - this.#since >= SECOND) {
      this.#since = now;
      this.#before = unwanted;
    }
    return unwanted - this.#before < this.#most ? 0 : this.#since + SECOND - now;
  }
}
