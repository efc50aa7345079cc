/** A clock that does not move by itself, and alarms that ring when a test moves it. */
import type { Timers } from '../deadline.ts';

export interface HeldAlarms extends Timers {
  /** Lets milliseconds pass. Alarms that are due ring in their order, including those that are set meanwhile. */
  pass(milliseconds: number): void;
}

export function heldAlarms(): HeldAlarms {
  const alarms = new Set<{ at: number; ring: () => void }>();
  let now = 0;
  return {
    now: () => now,
    after(milliseconds, ring) {
      const alarm = { at: now + milliseconds, ring };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
    pass(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const [next] = [...alarms].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        alarms.delete(next);
        now = next.at;
        next.ring();
      }
      now = end;
    },
  };
}
