/** How long somebody who works for the page may say nothing. Milliseconds throughout. */

export interface Deadline {
  /** Until a first round of its work has ended: kernels compile in it. */
  readonly first: number;
  /** After that, besides `rounds` times as long as its last round took. */
  readonly least: number;
  readonly rounds: number;
  /** Of one that was told to stop; `STOP` where it is left out. */
  readonly stop?: number;
}

export const DEADLINE: Deadline = { first: 180_000, least: 20_000, rounds: 20 };

/** Of silence, until one that was told to stop is taken for dead. */
export const STOP = 1000;

/** How long one that was told to stop is waited for, though it speaks. */
export const stopPatience = ({ stop = STOP }: Deadline): number => 1.5 * stop;

/** `lastRound`: null where none has ended. */
export function silenceAllowed({ first, least, rounds }: Deadline, lastRound: number | null): number {
  return lastRound === null ? first : least + rounds * lastRound;
}

/** A clock and its alarms. */
export interface Timers {
  now(): number;
  /** Calls `ring` once; returns what takes the alarm back. */
  after(milliseconds: number, ring: () => void): () => void;
}

export const realTimers: Timers = {
  now: () => performance.now(),
  after(milliseconds, ring) {
    const alarm = setTimeout(ring, milliseconds);
    return () => clearTimeout(alarm);
  },
};

/** What `work` comes to. @throws `late()` where that takes longer than `milliseconds`, and what `work` throws. */
export async function unlessLate<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error,
  timers: Timers,
): Promise<T> {
  let takeBack: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    takeBack = timers.after(milliseconds, () => reject(late()));
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    takeBack?.();
  }
}

/** A page that was stopped meanwhile, by a long update or a closed lid, hears what was said in between before it misses a second part. */
const PARTS = 4;

/** Rings where one who is waited for has said nothing for as long as `silenceAllowed`. */
export class SilenceWatch {
  readonly #deadline: Deadline;
  readonly #timers: Timers;
  /** `milliseconds` of silence were allowed. */
  readonly #onSilent: (milliseconds: number) => void;
  #lastRound: number | null = null;
  #roundBegan = 0;
  #takeBack: (() => void) | null = null;

  constructor(deadline: Deadline, onSilent: (milliseconds: number) => void, timers: Timers = realTimers) {
    this.#deadline = deadline;
    this.#onSilent = onSilent;
    this.#timers = timers;
  }

  /** Somebody is waited for from now on, if not already. */
  begin(): void {
    if (this.#takeBack !== null) return;
    this.#roundBegan = this.#timers.now();
    this.#listen();
  }

  /** Something was said. */
  heard(): void {
    if (this.#takeBack !== null) this.#listen();
  }

  /** A round of work has ended, and the next one begins. */
  roundEnded(): void {
    if (this.#takeBack === null) return;
    const now = this.#timers.now();
    this.#lastRound = now - this.#roundBegan;
    this.#roundBegan = now;
    this.#listen();
  }

  /** Nobody is waited for. */
  end(): void {
    this.#takeBack?.();
    this.#takeBack = null;
  }

  /** As `end`, and another begins in the same place, of whom no round is known. */
  restart(): void {
    this.end();
    this.#lastRound = null;
  }

  #listen(missed = 0): void {
    this.#takeBack?.();
    const allowed = silenceAllowed(this.#deadline, this.#lastRound);
    this.#takeBack = this.#timers.after(allowed / PARTS, () => {
      if (missed + 1 < PARTS) return this.#listen(missed + 1);
      this.end();
      this.#onSilent(allowed);
    });
  }
}
