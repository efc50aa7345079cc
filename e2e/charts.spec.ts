/** Charts: every metric found, smoothing, files, words; runs beside each other inside the folds, too. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { goTo, openFold, snapshotOf, trainToTheEnd } from './page.ts';

const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 16,
  numGenerators: 1,
  evalSamples: 4,
  evalEvery: 0,
  numSteps: 3,
};

const search = (page: Page): Locator => page.getByTestId('metric-search');

/** Opens the menu of a chart and takes a file. */
async function choose(chart: Locator, name: string | RegExp): Promise<void> {
  await chart.getByRole('button', { name: /: files$/ }).click();
  await chart.page().getByRole('menuitem', { name }).click();
  await expect(chart.page().getByRole('menu')).toHaveCount(0);
}

async function fileOf(chart: Locator, name: 'PNG' | 'SVG' | RegExp): Promise<Buffer> {
  const [caught] = await Promise.all([chart.page().waitForEvent('download'), choose(chart, name)]);
  return readFile(await caught.path());
}

test('a run’s charts: smoothing, files and words, and metrics that are found', async ({ page, openPage }) => {
  await openPage(SMALL);
  await trainToTheEnd(page);

  await test.step('smoothing off draws what was measured; on, both are there', async () => {
    const reward = page.getByTestId('chart-reward');
    const lines = (kind: string): Locator => reward.locator(`path[data-line="${kind}"]`);
    await expect(lines('measured')).toHaveCount(1);
    await expect(lines('smoothed')).toHaveCount(1);
    const before = await lines('smoothed').getAttribute('d');
    const measured = await lines('measured').getAttribute('d');
    await page.getByTestId('smoothing').focus();
    await page.keyboard.press('End');
    // Curves away from the screen wait.
    await reward.scrollIntoViewIfNeeded();
    await expect(lines('smoothed')).not.toHaveAttribute('d', before ?? '');
    await page.keyboard.press('Home');
    await expect(page.getByTestId('smoothing')).toHaveAttribute('aria-valuetext', 'off');
    await expect(lines('smoothed')).toHaveCount(0);
    await expect(lines('measured')).toHaveAttribute('d', measured ?? '');
  });

  await test.step('one crosshair through all charts says a step’s values, by pointer and by keyboard', async () => {
    const [accuracy, form] = [page.getByTestId('chart-accuracy'), page.getByTestId('chart-format')];
    const { metrics } = await snapshotOf(page);
    const value = (step: number): string => `${(100 * (metrics[step - 1]?.accuracy ?? NaN)).toFixed(1)}%`;
    await accuracy.scrollIntoViewIfNeeded();
    const plot = accuracy.locator('.recharts-wrapper > svg');
    // Steps 0 to 3 lie between 52 pixels on the left and 14 on the right.
    const width = await plot.evaluate((element) => element.clientWidth - 52 - 14);
    const pointAt = async (step: number): Promise<void> =>
      plot.hover({ position: { x: 52 + (step / 3) * width, y: 60 }, force: true });
    await expect
      .poll(async () => {
        await pointAt(3);
        await pointAt(2);
        return form.locator('.recharts-tooltip-cursor').count();
      })
      .toBe(1);
    await expect(accuracy).toContainText(`Step 2this step${value(2)}`);
    // Only the chart under the pointer shows its values.
    await expect(form.getByText('Step 2', { exact: true })).toBeHidden();
    await page.mouse.move(0, 0);
    await accuracy.getByRole('button', { name: /: files$/ }).focus();
    await page.keyboard.press('Tab');
    for (const step of [1, 2]) {
      await page.keyboard.press('ArrowRight');
      await expect(accuracy).toContainText(`Step ${step}this step${value(step)}`);
    }
  });

  await test.step('files of a chart: a picture that needs no page, and raw values of all runs; and the chart in words', async () => {
    const first = await snapshotOf(page);
    await page.getByRole('spinbutton', { name: 'Learning rate', exact: true }).fill('0.003');
    await trainToTheEnd(page);
    const second = await snapshotOf(page);
    const rows = page.getByTestId('run-row');
    await goTo(page, 'runs');
    await expect(rows).toHaveCount(2);
    await rows
      .last()
      .getByRole('checkbox', { name: /^Compare/ })
      .click();

    await goTo(page, 'train');
    const reward = page.getByTestId('chart-reward');
    await reward.scrollIntoViewIfNeeded();
    await expect(reward.locator('path[data-line="other"]')).toHaveCount(1);
    const csv = (await fileOf(reward, /CSV/)).toString().split('\r\n');
    expect(csv[0]).toBe('run,seed,step,Reward');
    const rewards = csv.slice(1).map((line) => Number(line.split(',')[3]));
    const ofRun = ({ metrics }: typeof first): number[] => metrics.map(({ reward: mean }) => mean);
    expect(rewards.filter((value) => value !== 0)).toEqual(
      [...ofRun(second), ...ofRun(first)].filter((value) => value !== 0),
    );

    const svg = (await fileOf(reward, 'SVG')).toString();
    expect(svg).toContain('<title>Reward (mean per answer)</title>');
    expect(svg).not.toContain('var(');
    expect(svg).not.toContain('class=');
    const png = await fileOf(reward, 'PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // Two pixels for one.
    const width = await reward.locator('.recharts-wrapper > svg').evaluate((element) => element.clientWidth);
    expect(png.readUInt32BE(16)).toBe(2 * width);

    await expect(reward).toHaveAccessibleDescription(
      /^Reward: from .* at step 1 to .* at step 3, (rising|falling|level); lowest/,
    );

    // Inside the folds too: every curve of the other run, told apart by its dashes.
    await openFold(page, 'Policy and lengths');
    const length = page.getByTestId('chart-length');
    await length.scrollIntoViewIfNeeded();
    await expect(length.locator('path[data-line="other"]')).toHaveCount(3);
    await expect(length).toContainText('Other runs have their own colour');
    const lengths = (await fileOf(length, /CSV/)).toString().split('\r\n');
    expect(lengths[0]).toBe('run,seed,step,mean,shortest,longest');
    expect(lengths.at(1)).toBe(
      `this run,${second.config?.seed},1,${second.metrics[0]?.meanLength},${second.metrics[0]?.minLength},${second.metrics[0]?.maxLength}`,
    );
    await length.hover({ position: { x: 150, y: 100 } });
    await expect(length.getByText(/^Step \d/)).toBeVisible();
  });

  await test.step('a metric is found by its description by keyboard, and drawn until it is closed', async () => {
    await search(page).focus();
    await page.keyboard.type('L2 norm gradient');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const found = page.getByTestId('found-metric');
    await expect(found).toContainText(/norm/i);
    await expect(search(page)).toBeFocused();
    await search(page).fill('no such thing');
    await expect(page.getByText('No metric matches these words')).toBeVisible();
    await search(page).fill('env/all/reward/std');
    await page.getByRole('listbox').getByRole('option').first().click();
    await expect(found.getByTestId('chart-metric:rewardStd')).toHaveAttribute('data-points', '3');
    await found.getByRole('button', { name: 'Close' }).click();
    await expect(found).toBeHidden();
  });
});
