import { DEADLINE, type Deadline } from '@rl-playground/base/deadline';

/** The limits of a user's program for one completion. They are counts, so that a score is the same on any machine. */
export interface Limits {
  /** Calls and rounds of loops, before the interpreter stops it. It looks up every `STEPS_A_LOOK`. */
  readonly steps: number;
  /** The size of its heap, in bytes. */
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Failures in a row after which the rest of a batch is given up. */
  readonly mostFailures: number;
}

/** A loop takes some 50 million steps a second, a program that works on texts some 10 million. */
export const DEFAULT_LIMITS: Limits = {
  steps: 10_000_000,
  memoryBytes: 32 * 2 ** 20,
  stackBytes: 256 * 2 ** 10,
  mostFailures: 16,
};

/** QuickJS asks so rarely whether to go on; of a regular expression it counts what is tried. */
export const STEPS_A_LOOK = 10_000;

/** WebAssembly gives memory by the page. */
export const PAGE_BYTES = 2 ** 16;
/** The memory of the whole interpreter, which begins with 16 MB. */
export const MEMORY_PAGES = { initial: 256, maximum: 256 + DEFAULT_LIMITS.memoryBytes / PAGE_BYTES };

/**
 * The longest silence of a worker: `first` while interpreter and program are loaded, `least` for each completion. It ends an operation that
 * makes no steps, or steps that each take long.
 */
export const GUARD: Deadline = { first: DEADLINE.first, least: 10_000, rounds: 0 };
/** The longest silence at the second try of a completion. A machine that was busy is no failure of the program. */
export const GUARD_AGAIN: Deadline = { ...GUARD, least: 3 * GUARD.least };
/** A killed worker costs so long that it counts as so many failures. */
export const FAILURES_A_KILL = 4;

/** UTF-16 units of a problem and completion together, as JSON. */
export const MOST_INPUT = 2_000_000;
/** The number of lines that a program's console keeps, and the length of each. */
export const MOST_LOGS = 50;
export const MOST_LOG = 400;
/** Units of a reason. */
export const MOST_REASON = 200;
/** Rewards beyond this would drown every other. */
export const MOST_REWARD = 1e6;
export const MOST_PARTS = 16;
