/**
 * Limits on the silence of workers and machines: one that says nothing for longer is taken for dead. All times are
 * milliseconds.
 */

export interface Deadline {
  /** The limit until the first round of work has ended: kernels are compiled in that round. */
  readonly first: number;
  /** The limit afterwards is this plus `rounds` times the duration of the last round. */
  readonly least: number;
  readonly rounds: number;
  /** The limit for one that was told to stop; `STOP` by default. */
  readonly stop?: number;
}

export const DEADLINE: Deadline = { first: 180_000, least: 20_000, rounds: 20 };

/** The silence after which one that was told to stop is taken for dead, in milliseconds. */
export const STOP = 1000;

/** The longest wait for one that was told to stop, even if it still speaks, in milliseconds. */
export const stopPatience = ({ stop = STOP }: Deadline): number => 1.5 * stop;

/**
 * Returns the silence that is allowed after a round of `lastRound` milliseconds; `lastRound` is null if no round has
 * ended yet.
 */
export function silenceAllowed({ first, least, rounds }: Deadline, lastRound: number | null): number {
  return lastRound === null ? first : least + rounds * lastRound;
}

/** A clock and its alarms. */
export interface Timers {
  now(): number;
  /** Calls `ring` once; the function that is returned cancels it. */
  after(milliseconds: number, ring: () => void): () => void;
}

export const realTimers: Timers = {
  now: () => performance.now(),
  after(milliseconds, ring) {
    const alarm = setTimeout(ring, milliseconds);
    return () => clearTimeout(alarm);
  },
};

/** Resolves to the result of `work`. @throws `late()` if `work` takes longer than `milliseconds`, and every error of `work`. */
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

/** Rings if the one that is waited for has said nothing for as long as `silenceAllowed`. */
export class SilenceWatch {
  readonly #deadline: Deadline;
  readonly #timers: Timers;
  /** The argument is the silence that was allowed, in milliseconds. */
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

  /** Ends the wait and begins another one, for a successor that has not finished a round yet. */
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
