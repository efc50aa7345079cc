/** What a page's main thread did while it trained, from Chrome's trace. */
import type { Page } from 'playwright';

/** Of Chrome's trace; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** On the clock. */
  readonly dur?: number;
  /** On the processor. */
  readonly tdur?: number;
}

export interface Task {
  /** Milliseconds on the clock. */
  readonly clock: number;
  /** Milliseconds on the processor: what the task costs, however busy the machine is with other things. */
  readonly processor: number;
  /** What the run was doing when it began, and what it began meanwhile. */
  readonly during: string;
}

export const TRACE_CATEGORIES = ['toplevel', 'blink.user_timing'];

/** From here on the page marks in its trace what the run is at. */
export async function markRun(page: Page): Promise<void> {
  await page.evaluate(() => {
    const controller = window.rlPlayground?.controller;
    controller?.subscribe(() => {
      const { phase, step, progress } = controller.snapshot();
      performance.mark(`run: step ${step}, ${progress?.label ?? phase}`);
    });
  });
}

/** Tasks of the thread that made the run's marks. @throws where the trace has none. */
export function tasksOf(trace: Buffer): Task[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const marks = traceEvents
    .filter(({ cat, name }) => cat.includes('blink.user_timing') && name.startsWith('run: '))
    .sort((a, b) => a.ts - b.ts);
  const thread = marks[0];
  if (thread === undefined) throw new Error('The trace has no mark of the run.');
  return traceEvents
    .filter(({ name, pid, tid }) => pid === thread.pid && tid === thread.tid && name.endsWith('RunTask'))
    .map(({ ts, dur = 0, tdur = 0 }) => {
      const before = marks.findLast((mark) => mark.ts <= ts)?.name ?? 'run: not begun';
      const within = marks.filter((mark) => mark.ts > ts && mark.ts <= ts + dur).map(({ name }) => name);
      return {
        clock: dur / 1000,
        processor: tdur / 1000,
        during: [...new Set([before, ...within])].join(' > '),
      };
    });
}
