/** What a user's program may use for one completion. */
export interface Limits {
  /** Of computing, in milliseconds, before the interpreter stops it. */
  readonly milliseconds: number;
  /** Of its heap, in bytes. */
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Longer than `milliseconds` by this many, the worker is killed: it is inside one operation that can't be stopped. */
  readonly graceMilliseconds: number;
  /** Failures in a row after which the rest of a batch is given up. */
  readonly mostFailures: number;
}

export const DEFAULT_LIMITS: Limits = {
  milliseconds: 500,
  memoryBytes: 32 * 2 ** 20,
  stackBytes: 256 * 2 ** 10,
  graceMilliseconds: 2000,
  mostFailures: 16,
};

/** UTF-16 units of a problem and completion together, as JSON. */
export const MOST_INPUT = 2_000_000;
/** Lines that a program's console keeps, and units of each. */
export const MOST_LOGS = 50;
export const MOST_LOG = 400;
/** Units of a reason. */
export const MOST_REASON = 200;
/** Rewards beyond this would drown every other. */
export const MOST_REWARD = 1e6;
export const MOST_PARTS = 16;
