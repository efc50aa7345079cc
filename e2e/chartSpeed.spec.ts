/**
 * A chart of a long run costs no more than one of a short run: its curves have as many points as it has room for, charts take turns, one in two frames,
 * and only those on the screen are drawn. What a drawing costs in time, `npm run lab -- charts` measures.
 */
import type { Page } from '@playwright/test';
import { showLongRun } from '../src/testing/longRun.ts';
import { expect, test } from './fixtures.ts';
import { reachPhase, status } from './page.ts';

const STEPS = 10_000;
/** From the top of the page down. */
const IDS = ['reward', 'accuracy', 'format', 'kl'];
/** Points of a curve: the lowest and the highest of as many places as a chart tells apart, and its ends. */
const MOST_POINTS = 500;

/** Has the page draw a long run, and its frames come when `frame` says so. */
async function drawLongRun(page: Page): Promise<void> {
  await page.evaluate(showLongRun, { steps: STEPS, more: 100 });
  await page.evaluate(() => {
    const waiting: FrameRequestCallback[] = [];
    /** What was begun has been drawn: React works in messages to itself. */
    const turn = async (): Promise<void> => {
      for (let i = 0; i < 4; i++)
        await new Promise<void>((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve();
          port2.postMessage(null);
        });
    };
    Object.assign(window, {
      requestAnimationFrame: (act: FrameRequestCallback) => waiting.push(act),
      frame: async () => {
        for (const act of waiting.splice(0)) act(performance.now());
        await turn();
      },
    });
  });
}

/** From now on it is noted which charts' curves change. */
async function watchCurves(page: Page): Promise<void> {
  await page.evaluate((ids) => {
    const changed = new Set<string>();
    const observer = new MutationObserver((records) => {
      for (const { target } of records) {
        const chart = target.parentElement?.closest('[data-testid^="chart-"]')?.getAttribute('data-testid');
        if (chart != null) changed.add(chart.slice('chart-'.length));
      }
    });
    for (const id of ids) {
      const plot = document.querySelector(`[data-testid="chart-${id}"] svg[data-drawing]`);
      if (plot === null) throw new Error(`Chart ${id} has no curves.`);
      observer.observe(plot, { attributes: true, childList: true, subtree: true });
    }
    Reflect.set(window, 'changed', changed);
  }, IDS);
}

/** The charts whose curves change in each of the next frames: from the first to the last that does, when all charts are at step `made`. */
function drawnInFrames(page: Page, made: number): Promise<string[]> {
  return page.evaluate(
    async ([ids, step]) => {
      const changed = Reflect.get(window, 'changed') as Set<string>;
      const frame = Reflect.get(window, 'frame') as () => Promise<void>;
      const isThere = (id: string): boolean =>
        document.querySelector(`[data-testid="chart-${id}"][data-points="${step}"]`) !== null;
      const drawn: string[] = [];
      for (let quiet = 0; quiet < 3;) {
        changed.clear();
        await frame();
        if (drawn.length > 0 || changed.size > 0) drawn.push([...changed].join(' and '));
        quiet = ids.every(isThere) && changed.size === 0 ? quiet + 1 : 0;
      }
      return drawn.slice(0, -3);
    },
    [IDS, made] as const,
  );
}

test('after ten thousand steps each chart is drawn by itself, of few points, and only where it is seen', async ({
  page,
  openPage,
}) => {
  // All four charts on the screen: 720 pixels show the first, and the others only until a run lengthens what stands above them.
  await page.setViewportSize({ width: 1280, height: 1600 });
  await openPage({ task: 'reverse_digits', problemsPerStep: 2, evalSamples: 2, numSteps: 1, maxTokens: 8 });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const charts = IDS.map((id) => page.getByTestId(`chart-${id}`));
  const reward = page.getByTestId('chart-reward');
  // The crosshair costs the more.
  await reward.hover();
  for (const chart of charts) await expect(chart.locator('.recharts-surface')).toBeAttached();
  for (const chart of charts) await expect(chart.locator('.chart-line').first()).toBeAttached();
  await drawLongRun(page);
  await watchCurves(page);
  let made = STEPS;
  /** The page's numbers go on at once, its charts with the frames to come. */
  const oneMore = async (): Promise<void> => {
    await page.evaluate(() => (Reflect.get(window, 'oneMoreStep') as () => void)());
    made++;
    await expect(status(page)).toHaveAttribute('data-step', String(made));
  };
  await oneMore();
  await drawnInFrames(page, made);
  await oneMore();
  const frames = await drawnInFrames(page, made);
  // Each once and by itself, and with a frame before the next.
  expect(frames.filter((drawn) => drawn !== '').toSorted()).toEqual(IDS.toSorted());
  expect(frames.filter((drawn, i) => drawn !== '' && (frames[i + 1] ?? '') !== '')).toEqual([]);

  const lengths = await page
    .locator(IDS.map((id) => `[data-testid="chart-${id}"] .chart-line`).join(', '))
    .evaluateAll((lines) => lines.map((line) => line.getAttribute('d')?.split('L').length ?? 0));
  expect(Math.min(...lengths)).toBeGreaterThan(1);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(MOST_POINTS);

  // On a low screen the last chart is far below it: its numbers go on, its curve waits until it is looked at.
  await page.setViewportSize({ width: 1280, height: 240 });
  await page.evaluate(() => window.scrollTo(0, 0));
  await reward.scrollIntoViewIfNeeded();
  await expect(page.getByTestId('chart-kl')).not.toBeInViewport();
  await watchCurves(page);
  const drawn = async (): Promise<{ reward: boolean; kl: boolean }> => {
    await oneMore();
    const seen = await drawnInFrames(page, made);
    return { reward: seen.includes('reward'), kl: seen.includes('kl') };
  };
  // Until the page has noticed.
  await expect.poll(drawn).toEqual({ reward: true, kl: false });
  expect(await drawn()).toEqual({ reward: true, kl: false });
  await page.getByTestId('chart-kl').scrollIntoViewIfNeeded();
  await expect.poll(() => drawnInFrames(page, made)).toContain('kl');
});
