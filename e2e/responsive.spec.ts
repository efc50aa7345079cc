/** The page answers while it trains: no task keeps the main thread from the person for long. */
import { expect, test } from './fixtures.ts';
import { reachPhase, reachStep } from './page.ts';

/** Milliseconds, on wasm, whose kernels block the thread they run on. */
const LONGEST_TASK = 200;
const STEPS = 10;

interface Task {
  readonly start: number;
  readonly milliseconds: number;
}

interface Mark {
  readonly time: number;
  readonly what: string;
}

test('no long task on the main thread in a default run', async ({ page, openPage }) => {
  await openPage({ evalEvery: 5 });
  await page.evaluate(() => {
    const tasks: Task[] = [];
    const marks: Mark[] = [];
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        tasks.push({ start: startTime, milliseconds: duration });
    }).observe({ type: 'longtask' });
    const controller = window.rlPlayground?.controller;
    controller?.subscribe(() => {
      const { phase, step, progress } = controller.snapshot();
      marks.push({ time: performance.now(), what: `step ${step}, ${phase}: ${progress?.label ?? '-'}` });
    });
    Object.assign(window, { observed: { tasks, marks } });
  });
  await page.getByTestId('train-button').click();
  await reachStep(page, STEPS);
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  const { tasks, marks } = await page.evaluate(
    () => Reflect.get(window, 'observed') as { tasks: Task[]; marks: Mark[] },
  );
  const during = ({ start, milliseconds }: Task): string => {
    const before = marks.findLast(({ time }) => time <= start)?.what ?? 'before the run';
    const within = marks.filter(({ time }) => time > start && time <= start + milliseconds);
    return [before, ...within.map(({ what }) => what)].join(' | ');
  };
  const slowest = [...tasks].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 8);
  for (const task of slowest) console.log(`${task.milliseconds.toFixed(0)} ms: ${during(task)}`);
  expect(marks.length).toBeGreaterThan(STEPS);
  expect(slowest[0]?.milliseconds ?? 0).toBeLessThanOrEqual(LONGEST_TASK);
});
