/** The places of the page: Train on one screen, an address and a heading for each, and one slot for notices, which moves nothing. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import {
  CHARTS,
  choose,
  goTo,
  notice,
  openNotices,
  PLACES_OF_PAGE,
  reachPhase,
  reachStep,
  snapshotOf,
} from './page.ts';
import { SHORT_RUN } from './view.ts';

const DESKTOPS = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
];
/** The page's own height may be two screens of the smallest desktop at most. */
const TALLEST = 2 * 720;

/** The parts that are seen without scrolling: the button, four charts, one problem and the latest answers. */
const parts = (page: Page): readonly Locator[] => [
  page.getByTestId('pause-button').or(page.getByTestId('train-button')),
  ...CHARTS.map((id) => page.getByTestId(`chart-${id}`)),
  page.getByTestId('watch').or(page.getByTestId('end-card')),
  page.getByTestId('live-answers'),
];

async function expectWhole(page: Page, when: string): Promise<void> {
  for (const size of DESKTOPS) {
    await page.setViewportSize(size);
    for (const part of parts(page))
      await expect(part, `${when}, ${size.width} x ${size.height}`).toBeInViewport({ ratio: 1 });
  }
}

const tops = (page: Page): Promise<number[]> =>
  Promise.all(CHARTS.map(async (id) => (await page.getByTestId(`chart-${id}`).boundingBox())?.y ?? NaN));

test('Train is one screen idle, beside a run, with a notice and at the end; a notice moves no chart, and what is settled leaves', async ({
  page,
  openPage,
}) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await openPage({ ...SHORT_RUN, numSteps: 100_000 });
  await expectWhole(page, 'idle');
  await page.setViewportSize({ width: 1280, height: 720 });
  const before = await tops(page);
  for (const name of ['first.zip', 'second.zip']) {
    await choose(page, { name, bytes: new Uint8Array([0x50, 0x4b]) });
    await expect(notice(page, `${name} was not loaded`)).toBeVisible();
  }
  // The slot has the newest one.
  await expect(page.getByTestId('notices').getByRole('alert')).toHaveCount(1);
  expect(await tops(page)).toEqual(before);
  await expectWhole(page, 'with a notice');
  await page.setViewportSize({ width: 1280, height: 720 });
  await openNotices(page);
  await expect(page.getByTestId('notices').getByRole('alert')).toHaveCount(2);
  await expect(page.getByTestId('notices').getByRole('alert').first()).toContainText('second.zip');
  expect(await tops(page)).toEqual(before);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('notices').getByRole('alert')).toHaveCount(1);

  await page.getByTestId('train-button').click();
  await expect(page.getByTestId('notices')).toBeEmpty();
  await reachStep(page, 2);
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  await expectWhole(page, 'beside a run');
  // The problem is one of the evaluation, and its answers are those of steps that were made.
  const { evaluations } = await snapshotOf(page);
  const questions = evaluations[0]?.samples.map(({ question }) => question) ?? [];
  expect(questions).toContain(await page.getByTestId('watch').locator('p b').first().textContent());
  await expect(page.getByTestId('watch').getByRole('list', { name: 'Its answers, by step' })).toBeVisible();
  await page.getByTestId('stop-button').click();
  await reachPhase(page, 'stopped');
  await expect(page.getByTestId('end-card')).toBeVisible();
  await expectWhole(page, 'at the end');
});

test('every place has an address, one heading of the page and one of its own, and is at most two screens tall; Back leads to the one before', async ({
  page,
  openPage,
}) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await openPage({ ...SHORT_RUN, numSteps: 1, problemsPerStep: 16, rolloutsPerProblem: 8 });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  for (const place of PLACES_OF_PAGE) {
    await goTo(page, place);
    const title = `${place.charAt(0).toUpperCase()}${place.slice(1)}`;
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await expect(page.getByRole('heading', { level: 2, name: title, exact: true }).first()).toBeVisible();
    expect(new URL(page.url()).searchParams.get('place')).toBe(place === 'train' ? null : place);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const boxes = await page.locator('main .panel:visible').count();
    console.log(`${place}: ${height} px, ${boxes} boxes`);
    expect(height, place).toBeLessThanOrEqual(TALLEST);
  }
  await page.goBack();
  await expect(page.getByTestId('place-make')).toHaveAttribute('aria-selected', 'true');
  await page.reload();
  await expect(page.getByTestId('place-make')).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('heading', { level: 2, name: 'Your own task' })).toBeVisible();

  // Settings fold away, which leaves their room to the charts.
  await goTo(page, 'train');
  const chart = page.getByTestId('chart-reward');
  const narrow = (await chart.boundingBox())?.width ?? NaN;
  await page.getByRole('button', { name: 'Hide settings' }).click();
  await expect.poll(async () => (await chart.boundingBox())?.width ?? NaN).toBeGreaterThan(narrow * 1.2);
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await expect(page.getByRole('spinbutton', { name: 'Learning rate', exact: true })).toBeVisible();
});

test('a first visit is led from run to lesson, with a tick for each thing that is done, and saves its result as a picture', async ({
  page,
  openPage,
}) => {
  await openPage({ ...SHORT_RUN, hide: 'runs' });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('result-picture').click(),
  ]);
  expect(picture.suggestedFilename()).toBe('rl-playground-result.png');
  await expect(page.getByTestId('next-step')).toContainText('30 times the learning rate');
  await page.getByTestId('next-step').getByRole('button', { name: 'Break it' }).click();
  await expect(page.getByRole('spinbutton', { name: 'Learning rate', exact: true })).toHaveValue('0.009');
  await goTo(page, 'learn');
  const path = page.getByTestId('first-minutes');
  await expect(path.locator('[data-done="true"]')).toHaveCount(1);
  await path.getByRole('button', { name: /^Ask it/ }).click();
  await page.getByTestId('ask-button').click();
  await expect(page.getByTestId('ask-answers')).toHaveAttribute('data-done', 'true');
  await page.reload();
  await goTo(page, 'learn');
  await expect(path.locator('[data-done="true"]')).toHaveText([/Run it/, /Ask it/]);
  // The link that opened the page leaves a place out.
  await expect(page.getByTestId('place-runs')).toHaveCount(0);
});
