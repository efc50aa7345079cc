/**
 * A chart of a long run costs no more than one of a short run: its curves have as many points as it has room for, and only charts on the screen are
 * drawn. What a drawing costs in time, `npm run lab -- charts` measures.
 */
import type { Page } from '@playwright/test';
import { showLongRun } from '../src/page/testing/longRun.ts';
import { expect, test } from './fixtures.ts';
import { reachPhase, status } from './page.ts';

const STEPS = 10_000;
/** The charts from the top of the page down. */
const IDS = ['reward', 'accuracy', 'format', 'kl'];
/** The most points that a curve may have: the lowest and the highest value of each place that a chart can tell apart, and both ends. */
const MOST_POINTS = 500;

const CURVES = IDS.map((id) => `[data-testid="chart-${id}"] path[data-line]`).join(', ');

/** Remembers the curves of the charts; `changedCharts` says which have changed since. */
async function watchCurves(page: Page): Promise<void> {
  await page.evaluate((ids) => {
    const changed = new Set<string>();
    for (const id of ids) {
      const plot = document.querySelector(`[data-testid="chart-${id}"] .recharts-wrapper`);
      if (plot === null) throw new Error(`Chart ${id} has no curves.`);
      const observer = new MutationObserver(() => changed.add(id));
      observer.observe(plot, { attributes: true, childList: true, subtree: true });
    }
    Reflect.set(window, 'changed', changed);
  }, IDS);
}

const changedCharts = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...(Reflect.get(window, 'changed') as Set<string>)]);

test('after ten thousand steps a chart has few points, and is drawn only where it is seen', async ({
  page,
  openPage,
}) => {
  // The screen has room for all four charts. 720 pixels show the first, and the others only until a run lengthens the parts above them.
  await page.setViewportSize({ width: 1280, height: 1600 });
  await openPage({ task: 'reverse_digits', problemsPerStep: 2, evalSamples: 2, numSteps: 1, maxTokens: 8 });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  for (const id of IDS)
    await expect(page.getByTestId(`chart-${id}`).locator('.recharts-wrapper')).toBeVisible();
  await page.evaluate(showLongRun, { steps: STEPS, more: 100 });
  let made = STEPS;
  /** The page's numbers go on at once, its charts a moment later. */
  const oneMore = async (): Promise<void> => {
    await watchCurves(page);
    await page.evaluate(() => (Reflect.get(window, 'oneMoreStep') as () => void)());
    made++;
    await expect(status(page)).toHaveAttribute('data-step', String(made));
  };
  await oneMore();
  await expect.poll(() => changedCharts(page)).toHaveLength(IDS.length);
  const pointsOfCurves = (): Promise<number[]> =>
    page
      .locator(CURVES)
      .evaluateAll((curves) => curves.map((curve) => curve.getAttribute('d')?.split('L').length ?? 0));
  // Each chart has a curve of measurements and one of their averages.
  await expect.poll(async () => (await pointsOfCurves()).filter((points) => points > 100).length).toBe(8);
  expect(Math.max(...(await pointsOfCurves()))).toBeLessThanOrEqual(MOST_POINTS);

  // On a low screen the last chart is far below it: its numbers go on, its curve waits until it is looked at.
  await page.setViewportSize({ width: 1280, height: 240 });
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.getByTestId('chart-reward').scrollIntoViewIfNeeded();
  await expect(page.getByTestId('chart-kl')).not.toBeInViewport();
  const drawn = async (): Promise<{ reward: boolean; kl: boolean }> => {
    await oneMore();
    await expect.poll(() => changedCharts(page)).toContain('reward');
    await expect(page.getByTestId('chart-kl')).toHaveAttribute('data-points', String(made));
    return { reward: true, kl: (await changedCharts(page)).includes('kl') };
  };
  // The page needs a moment to notice.
  await expect.poll(drawn).toEqual({ reward: true, kl: false });
  expect(await drawn()).toEqual({ reward: true, kl: false });
  await page.getByTestId('chart-kl').scrollIntoViewIfNeeded();
  await expect.poll(() => changedCharts(page)).toContain('kl');
});
