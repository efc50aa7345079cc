/**
 * A warm-up can be held, stopped, saved and gone on with, and comes to the same to the bit: of a model made from nothing on
 * demonstrations, and of the bundled one on a person's rows.
 */
import type { Page } from '@playwright/test';
import { stateOf } from './checkpoint.ts';
import { expect, slowTest, test } from './fixtures.ts';
import { choose, download, drop, reachPhase, snapshotOf, status } from './page.ts';

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

/** The number of points that the chart has drawn. It lags behind the run, and is drawn only near the screen. */
async function points(page: Page): Promise<number> {
  return Number(await chart(page).getAttribute('data-points'));
}

slowTest(
  'runs before reinforcement; held update by update, saved in its midst and gone on with in another tab, it is the same to the bit',
  async ({ page, openPage, context }) => {
    // `run/session/sft.test.ts` holds the same to the bit; the rows of a file below go through the page.
    await openPage(SETTINGS);
    await expect(chart(page)).toHaveCount(0);
    for (const made of [1, 2, 3]) {
      await page.getByTestId('step-button').click();
      await expect.poll(() => points(page)).toBe(made);
      await reachPhase(page, 'paused');
    }
    await expect(page.getByTestId('train-button')).toHaveText('Continue');
    const midst = await download(page);
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    await chart(page).scrollIntoViewIfNeeded();
    await expect.poll(() => points(page)).toBe(12);
    const { sft, evaluations, modelName, metrics } = await snapshotOf(page);
    expect(modelName).toBe('rpn-scratch');
    expect(sft.total).toBe(12);
    expect(sft.losses.at(-1)).toBeLessThan(sft.losses[0] ?? 0);
    expect(evaluations.map(({ step }) => step)).toEqual([0, 1]);
    expect(metrics).toHaveLength(1);
    const whole = stateOf(await download(page));

    const other = await context.newPage();
    await openPage({ task: 'sum_digits' }, other);
    await choose(other, midst);
    await expect.poll(() => points(other)).toBe(3);
    await reachPhase(other, 'paused');
    await other.getByTestId('train-button').click();
    await reachPhase(other, 'finished');
    await chart(other).scrollIntoViewIfNeeded();
    await expect.poll(() => points(other)).toBe(12);
    expect(stateOf(await download(other))).toEqual(whole);
  },
);

test('stops when asked, keeps what it made, and goes on or is emptied', async ({ page, openPage }) => {
  await openPage({ ...SETTINGS, warmStartSteps: 100_000, warmStartBatch: 4 });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'sft');
  await expect.poll(() => points(page)).toBeGreaterThan(2);
  await expect(status(page)).toContainText('Supervised updates on worked answers');
  await page.getByTestId('stop-button').click();
  await reachPhase(page, 'stopped');
  const made = await points(page);
  expect(made).toBeLessThan(100_000);
  await page.getByTestId('train-button').click();
  await expect.poll(() => points(page)).toBeGreaterThan(made);
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  await expect(chart(page)).toHaveCount(0);
});

const ON_ROWS = {
  task: 'sum_digits',
  warmStartSteps: 5,
  warmStartBatch: 4,
  numSteps: 2,
  problemsPerStep: 2,
  evalSamples: 4,
  evalEvery: 0,
} as const;

function rowsFile(name: string, ...rows: readonly unknown[]) {
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  return { name, bytes: new TextEncoder().encode(text) };
}

const ROWS = rowsFile(
  'sums.jsonl',
  { prompt: '1 2', completion: '1+2=3\n[ANSWER] 3' },
  { prompt: '3 4', completion: '3+4=7\n[ANSWER] 7' },
  {
    messages: [
      { role: 'user', content: '5 1' },
      { role: 'assistant', content: '5+1=6\n[ANSWER] 6' },
    ],
  },
);

test('does not begin without the rows that its settings name; learns rows of a dropped file, first alone and then through to reinforcement', async ({
  page,
  openPage,
}, testInfo) => {
  await openPage({ ...ON_ROWS, warmStartData: 'elsewhere.jsonl' });
  const section = page.getByTestId('warmup');
  await expect(page.getByTestId('train-block')).toContainText('elsewhere.jsonl');
  await expect(page.getByTestId('train-button')).toHaveAttribute('aria-disabled', 'true');
  await section.getByText('Demonstrations').click();
  await expect(page.getByTestId('train-button')).toHaveAttribute('aria-disabled', 'false');
  await drop(page, rowsFile('broken.jsonl', { prompt: '1 2', completion: '' }), testInfo);
  await expect(section.getByRole('alert')).toContainText('Line 1: "completion" is empty');
  await drop(page, ROWS, testInfo);
  await expect(section.getByRole('alert')).toHaveCount(0);
  await expect(page.getByTestId('warmup-rows')).toContainText('sums.jsonl: 3 rows');

  // The evaluation of the model before it is at the left end of the axis.
  await page.getByRole('button', { name: 'Evaluate now' }).click();
  await expect.poll(async () => (await snapshotOf(page)).evaluations.map(({ step }) => step)).toEqual([-5]);
  await reachPhase(page, 'idle');

  await page.getByTestId('warmup-button').click();
  await reachPhase(page, 'paused');
  await chart(page).scrollIntoViewIfNeeded();
  await expect.poll(() => points(page)).toBe(5);
  const between = await snapshotOf(page);
  expect(between.metrics).toEqual([]);
  expect(between.evaluations.map(({ step }) => step)).toEqual([-5, 0]);
  await expect(section).toContainText('The warm-up is finished');

  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await chart(page).scrollIntoViewIfNeeded();
  await expect.poll(() => points(page)).toBe(5);
  // The charts over steps have the warm-up left of step 0.
  await page.getByTestId('chart-reward').scrollIntoViewIfNeeded();
  await expect(page.getByTestId('chart-reward').getByText('warm-up')).toBeVisible();

  // The rows stay in this browser, and the address names them.
  await page.reload();
  await expect(page.getByTestId('warmup-rows')).toContainText('sums.jsonl: 3 rows');
});
