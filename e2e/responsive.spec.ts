/** The page answers while it trains: no task keeps the main thread from the person for long. */
import { expect, test } from './fixtures.ts';
import { reachPhase, reachStep } from './page.ts';

/** Milliseconds, on wasm, whose kernels block the thread they run on. */
const LONGEST_TASK = 200;
const STEPS = 4;

/** Of Chrome's trace; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** On the clock. */
  readonly dur?: number;
  /** On the processor: what the task costs, however busy the machine is with other things. */
  readonly tdur?: number;
}

interface Task {
  readonly clock: number;
  readonly processor: number;
  /** What the run was doing when it began, and what it began meanwhile. */
  readonly during: string;
}

function tasksOf(trace: Buffer): Task[] {
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

test('no long task on the main thread in a default run', async ({ page, openPage, browser }) => {
  await openPage({ evalEvery: 2 });
  await page.evaluate(() => {
    const controller = window.rlPlayground?.controller;
    controller?.subscribe(() => {
      const { phase, step, progress } = controller.snapshot();
      performance.mark(`run: step ${step}, ${progress?.label ?? phase}`);
    });
  });
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
  await page.getByTestId('train-button').click();
  await reachStep(page, STEPS);
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  const tasks = tasksOf(await browser.stopTracing());
  const slowest = [...tasks].sort((a, b) => b.processor - a.processor).slice(0, 6);
  for (const { processor, clock, during } of slowest) {
    console.log(`${processor.toFixed(0)} ms of work, ${clock.toFixed(0)} ms on the clock: ${during}`);
  }
  console.log(`longest on the clock: ${Math.max(...tasks.map(({ clock }) => clock)).toFixed(0)} ms`);
  expect(tasks.length).toBeGreaterThan(100);
  expect(slowest[0]?.processor).toBeGreaterThan(1);
  expect(slowest[0]?.processor).toBeLessThanOrEqual(LONGEST_TASK);
});
