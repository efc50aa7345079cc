/** A chart of a long run is drawn anew within a frame: charts take turns, one in two frames, no task costs more than 16 ms of it, and only those on the screen are drawn. */
import { expect, test } from './fixtures.ts';
import { reachPhase } from './page.ts';

const STEPS = 10_000;
const REDRAWS = 12;
/** From the top of the page down. */
const IDS = ['reward', 'accuracy', 'format', 'kl'];
/** Milliseconds on the processor, of the dearest chart of a redraw: a frame at 60 Hz. */
const FRAME = 16;

/** Of Chrome's trace; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/**
 * Milliseconds of processor time of the longest task that ran a script after each mark, until the next: charts are drawn in those. The
 * task of the mark itself, in which the numbers of the page go on, began before it; collections of garbage run no script.
 */
function longestTasks(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const marks = traceEvents.filter(({ name }) => name === 'one more step').sort((a, b) => a.ts - b.ts);
  const [first] = marks;
  if (first === undefined) throw new Error('The trace has no mark.');
  const own = traceEvents.filter(({ pid, tid }) => pid === first.pid && tid === first.tid);
  const calls = own.filter(({ name }) => name === 'FunctionCall' || name === 'FireAnimationFrame');
  const tasks = own.filter(
    ({ name, ts, dur = 0 }) =>
      name === 'RunTask' && calls.some((call) => call.ts >= ts && call.ts < ts + dur),
  );
  return marks.map(({ ts }, i) => {
    const end = marks[i + 1]?.ts ?? Infinity;
    const found = tasks.filter((task) => task.ts > ts && task.ts < end);
    return Math.max(0, ...found.map(({ tdur = 0 }) => tdur / 1000));
  });
}

test('after ten thousand steps a chart is drawn anew within a frame', async ({ page, openPage, browser }) => {
  // All four charts on the screen: 720 pixels show the first, and the others only until a run lengthens what stands above them.
  await page.setViewportSize({ width: 1280, height: 1600 });
  await openPage({ task: 'reverse_digits', problemsPerStep: 2, evalSamples: 2, numSteps: 1, maxTokens: 8 });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  // A long run of made-up numbers in place of the page's own; the page draws whatever the controller says.
  await page.evaluate((steps) => {
    const controller = window.rlPlayground?.controller;
    const base = controller?.snapshot();
    const step = base?.metrics[0];
    if (!controller || !base || !step) throw new Error('There is no step.');
    const all = Array.from({ length: steps + 100 }, (_, i) => ({
      ...step,
      step: i + 1,
      reward: Math.sin(i / 500) + (i % 7) / 7,
      accuracy: (i % 11) / 11,
      format: (i % 13) / 13,
      kl: (i % 17) / 17,
    }));
    let made = steps;
    Reflect.set(controller, 'snapshot', () => ({
      ...base,
      totalSteps: all.length,
      step: made,
      metrics: all.slice(0, made),
    }));
    Reflect.set(window, 'oneMoreStep', () => {
      performance.mark('one more step');
      made++;
      // A change of the run that changes nothing else.
      controller.dismiss('none');
    });
  }, STEPS);
  const reward = page.getByTestId('chart-reward');
  const charts = IDS.map((id) => page.getByTestId(`chart-${id}`));
  let made = STEPS;
  const oneMore = async (now: number): Promise<void> => {
    await page.evaluate(() => (Reflect.get(window, 'oneMoreStep') as () => void)());
    for (const chart of charts) await expect(chart).toHaveAttribute('data-points', String(now));
    // Numbers go on at once, curves one chart in two frames: all are drawn before the next step.
    await page.evaluate(
      async (frames) => {
        for (let i = 0; i < frames; i++) await new Promise(requestAnimationFrame);
      },
      2 * charts.length + 2,
    );
  };
  // The crosshair costs the more.
  await reward.hover();
  for (const chart of charts) await expect(chart.locator('.recharts-surface')).toBeAttached();
  for (let more = 0; more < 4; more++) await oneMore(++made);
  for (const chart of charts) await expect(chart.locator('.chart-line').first()).toBeVisible();
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink.user_timing'],
  });
  for (let more = 0; more < REDRAWS; more++) await oneMore(++made);
  const longest = longestTasks(await browser.stopTracing()).sort((a, b) => a - b);
  console.log(
    `longest task of each redraw, ms of processor time: ${longest.map((ms) => ms.toFixed(1)).join(', ')}`,
  );
  expect(longest).toHaveLength(REDRAWS);
  // The median: a neighbour on the machine makes one longer now and then.
  // A step whose curves came with those of the next one says nothing.
  const drawn = longest.filter((ms) => ms > 0.5);
  expect(drawn.length, 'something was drawn').toBeGreaterThanOrEqual(REDRAWS / 3);
  expect(drawn[Math.floor(drawn.length / 2)]).toBeLessThanOrEqual(FRAME);

  // On a low screen the last chart is far below it: its numbers go on, its curve waits until it is looked at.
  await page.setViewportSize({ width: 1280, height: 240 });
  const redraws = (): Promise<number[]> =>
    page.evaluate(() => (Reflect.get(window, 'redraws') as () => number[])());
  await page.evaluate((ids) => {
    window.scrollTo(0, 0);
    const counts = ids.map(() => 0);
    for (const [i, id] of ids.entries()) {
      const plot = document.querySelector(`[data-testid="chart-${id}"] svg[data-drawing]`);
      if (plot === null) throw new Error(`Chart ${id} has no curves.`);
      const observer = new MutationObserver(() => {
        counts[i] = (counts[i] ?? 0) + 1;
      });
      observer.observe(plot, { attributes: true, childList: true, subtree: true });
    }
    Reflect.set(window, 'redraws', () => counts);
  }, IDS);
  await reward.scrollIntoViewIfNeeded();
  await expect(page.getByTestId('chart-kl')).not.toBeInViewport();
  // Until the page has noticed.
  await expect
    .poll(async () => {
      const before = (await redraws())[3];
      await oneMore(++made);
      return (await redraws())[3] === before;
    })
    .toBe(true);
  const [ofReward = 0, , , ofLast] = await redraws();
  for (let more = 0; more < 3; more++) await oneMore(++made);
  await expect.poll(async () => (await redraws())[0] ?? 0).toBeGreaterThan(ofReward);
  expect((await redraws())[3]).toBe(ofLast);
  await page.getByTestId('chart-kl').scrollIntoViewIfNeeded();
  await expect.poll(async () => (await redraws())[3]).toBeGreaterThan(ofLast ?? 0);
});
