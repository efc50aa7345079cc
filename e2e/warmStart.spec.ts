/** A model made from nothing: its warm start can be held, stopped, saved and gone on with, and comes to the same to the bit. */
import type { Page } from '@playwright/test';
import { stateOf } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import { choose, download, reachPhase, snapshotOf, status } from './page.ts';

const SETTINGS = {
  task: 'rpn_arithmetic',
  warmStartSteps: 12,
  warmStartBatch: 8,
  numSteps: 1,
  problemsPerStep: 4,
  evalSamples: 10,
  evalEvery: 0,
} as const;

const chart = (page: Page) => page.getByTestId('chart-warm-start');

async function points(page: Page): Promise<number> {
  return Number(await chart(page).getAttribute('data-points'));
}

test('runs before reinforcement, with its curve, and evaluates after it', async ({ page, openPage }) => {
  await openPage(SETTINGS);
  await expect(chart(page)).toHaveCount(0);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  expect(await points(page)).toBe(12);
  const { warmStart, evaluations, modelName, metrics } = await snapshotOf(page);
  expect(modelName).toBe('rpn-scratch');
  expect(warmStart.total).toBe(12);
  expect(warmStart.losses.at(-1)).toBeLessThan(warmStart.losses[0] ?? 0);
  expect(evaluations.map(({ step }) => step)).toEqual([0, 1]);
  expect(metrics).toHaveLength(1);
});

test('held update by update, saved in its midst and gone on with in another tab, it is the same to the bit', async ({
  page,
  openPage,
  context,
}) => {
  await openPage(SETTINGS);
  for (const made of [1, 2, 3]) {
    await page.getByTestId('step-button').click();
    await expect.poll(() => points(page), { timeout: 60_000 }).toBe(made);
    await reachPhase(page, 'paused');
  }
  await expect(page.getByTestId('train-button')).toHaveText('Continue');
  const midst = await download(page);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const whole = stateOf(await download(page));

  const other = await context.newPage();
  await openPage({ task: 'sum_digits' }, other);
  await choose(other, midst);
  await expect.poll(() => points(other)).toBe(3);
  await reachPhase(other, 'paused');
  await other.getByTestId('train-button').click();
  await reachPhase(other, 'finished');
  expect(await points(other)).toBe(12);
  expect(stateOf(await download(other))).toEqual(whole);
});

test('stops when asked, keeps what it made, and goes on or is emptied', async ({ page, openPage }) => {
  await openPage({ ...SETTINGS, warmStartSteps: 2000, warmStartBatch: 16 });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'warming');
  await expect.poll(() => points(page), { timeout: 60_000 }).toBeGreaterThan(2);
  await expect(status(page)).toContainText('Warm start on worked answers');
  await page.getByTestId('stop-button').click();
  await reachPhase(page, 'stopped');
  const made = await points(page);
  expect(made).toBeLessThan(2000);
  await page.getByTestId('train-button').click();
  await expect.poll(() => points(page), { timeout: 60_000 }).toBeGreaterThan(made);
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  await expect(chart(page)).toHaveCount(0);
});
