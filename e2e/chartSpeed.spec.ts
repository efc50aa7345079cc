/**
 * A chart of a long run costs no more than one of a short run: its curves have as many points as it has room for, and only charts on the screen are
 * drawn. What a drawing costs in time, `npm run lab -- charts` measures.
 */
import type { Page } from '@playwright/test';
import { showLongRun } from '../src/page/testing/longRun.ts';
import { expect, test } from './fixtures.ts';
import { reachPhase, status } from './page.ts';

const STEPS = 10_000;
/** The frames within which a chart is drawn anew. */
const FRAMES = 4;
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

  // Far away from the screen their numbers go on, and their curves wait until they are looked at.
  await page.setViewportSize({ width: 1280, height: 240 });
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded();
  await expect(page.getByTestId('chart-kl')).not.toBeInViewport();
  const drawn = async (): Promise<readonly string[]> => {
    await oneMore();
    await expect(page.getByTestId('chart-kl')).toHaveAttribute('data-points', String(made));
    // A curve in sight is drawn within the frames after its number.
    await page.evaluate(async (frames) => {
      for (let i = 0; i < frames; i++) await new Promise(requestAnimationFrame);
    }, FRAMES);
    return changedCharts(page);
  };
  // The page needs a moment to notice.
  await expect.poll(drawn).toEqual([]);
  expect(await drawn()).toEqual([]);
  await page.getByTestId('chart-kl').scrollIntoViewIfNeeded();
  await expect.poll(() => changedCharts(page)).toContain('kl');
});
