/**
 * Chooses the messages of machines that are checked. Checking a signature takes time (15 ms of a page's thread if the browser has no
 * Ed25519 of its own), and anyone with a server's token can send messages without end, under any number of names. So each second has room
 * for a few messages of each machine that has answered, and for a fixed number of all others together. The rest is not read. A sound
 * machine reports each second, so it loses only a moment.
 */

/** The messages a second from one machine that has answered: it sends one, and another as it leaves. */
export const PROVEN_PER_SECOND = 4;
/** The messages a second from all others together: enough for a class that waits for a run. */
export const OTHERS_PER_SECOND = 60;
const SECOND = 1000;

export class FloodGate {
  readonly #now: () => number;
  readonly #mostOthers: number;
  #since = -Infinity;
  #others = 0;
  readonly #proven = new Map<string, number>();

  /** `others` is the number of messages a second from machines that have shown nothing; `now` returns milliseconds. */
  constructor(others = OTHERS_PER_SECOND, now: () => number = () => performance.now()) {
    this.#mostOthers = others;
    this.#now = now;
  }

  /** True if a message under this name is checked. */
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

/** Slows the reading of a queue in which strangers put unwanted messages. */
export class Brake {
  readonly #most: number;
  readonly #now: () => number;
  #since = -Infinity;
  #before = 0;

  /** `most` is the number of unwanted messages that are read in a second; `now` returns milliseconds. */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** The milliseconds to wait before more is read. `unwanted` is the number of unwanted messages so far. */
  pause(unwanted: number): number {
    const now = this.#now();
    if (now - this.#since >= SECOND) {
      this.#since = now;
      this.#before = unwanted;
    }
    return unwanted - this.#before < this.#most ? 0 : this.#since + SECOND - now;
  }
}
