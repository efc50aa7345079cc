/** A budget of time: parts one after the other, each with a limit of its own, and rows that are there as soon as they are measured. */
import { realTimers, type Timers } from '@rl-playground/base/deadline';
import { messageOf } from '@rl-playground/base/errors';
import type { Row, WrittenRow } from './rows.ts';

/** The seconds of which the limits of the parts speak. A larger budget raises each of them in proportion; a smaller one leaves later parts out. */
export const USUAL_SECONDS = 420;
/** The seconds below which no part is begun any more. */
const LEAST_SECONDS = 3;

export interface PartTask {
  /** Aborts at the part’s limit, and when a person ends the command. The part then resolves or rejects soon. */
  readonly signal: AbortSignal;
  readonly emit: (row: Row) => void;
}

export interface Part {
  readonly name: string;
  readonly purpose: string;
  /** The limit in seconds under a budget of `USUAL_SECONDS`. */
  readonly seconds: number;
  /** Returns the reason for which the part can't run here, or null. */
  readonly hindrance: () => string | null;
  readonly run: (task: PartTask) => Promise<void>;
}

export interface Budget {
  readonly seconds: number;
  /** Takes each row at once. */
  readonly write: (row: WrittenRow) => void;
  /** Aborts when a person ends the command. */
  readonly stop: AbortSignal;
  readonly timers?: Timers;
}

/**
 * Runs the parts in their order. A part may take its limit, or what is left of the budget if that is less; then it is ended and the next
 * one begins. A part that fails, can't run here or finds no time left writes a row that says so.
 */
export async function runParts(
  parts: readonly Part[],
  { seconds, write, stop, timers = realTimers }: Budget,
): Promise<void> {
  const begun = new Date().toISOString();
  const began = timers.now();
  const passed = (): number => (timers.now() - began) / 1000;
  for (const { name, seconds: share, hindrance, run } of parts) {
    if (stop.aborted) return;
    const emit = (row: Row): void => write({ part: name, begun, at: passed(), ...row });
    const left = seconds - passed();
    const reason = left < LEAST_SECONDS ? `nothing is left of the ${seconds} s.` : hindrance();
    if (reason !== null) {
      emit({ name: 'part', skipped: reason });
      continue;
    }
    const limit = Math.min(left, share * Math.max(1, seconds / USUAL_SECONDS));
    const over = new AbortController();
    const takeBack = timers.after(1000 * limit, () => over.abort());
    const signal = AbortSignal.any([over.signal, stop]);
    try {
      await run({ signal, emit });
    } catch (error) {
      if (!signal.aborted) emit({ name: 'part', failed: messageOf(error) });
    } finally {
      takeBack();
    }
    if (over.signal.aborted) emit({ name: 'part', note: `ended at its limit of ${limit.toFixed(0)} s` });
  }
}
