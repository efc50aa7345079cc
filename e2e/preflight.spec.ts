/** The pre-flight before step 1: the reasons why Train waits, with their remedies, and the forecast of a run by its first answers. */
import type { Locator, Page } from '@playwright/test';
import { expectReadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { number, openFold, reachPhase, reachStep, snapshotOf } from './page.ts';

const block = (page: Page): Locator => page.getByTestId('train-block');
const train = (page: Page): Locator => page.getByTestId('train-button');

test('settings that are wrong keep Train from being pressed, and a button mends them; losses that make the same run are named; so are GSM8K without rows, a task that is not here, and one that the model cannot read', async ({
  page,
  openPage,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPage({ task: 'reverse_digits' });
  const same = page.getByTestId('preflight').locator('[data-finding=same_losses]');
  await expect(same).toContainText('With one update per batch there is nothing to clip');
  await same.getByRole('button', { name: '4 updates per batch' }).click();
  await expect(same).toBeHidden();
  await expect.poll(() => page.url()).toContain('numSubsteps=4');

  await page.setViewportSize({ width: 1280, height: 720 });
  await expect(block(page)).toBeHidden();
  await number(page, 'Steps').fill('0');
  await expect(train(page)).toHaveAttribute('aria-disabled', 'true');
  await expect(block(page)).toContainText('“Steps”');
  await expect(train(page)).toHaveAccessibleDescription(/“Steps”/);
  await expect(page.getByTestId('status')).not.toContainText('Press Train');
  await block(page).getByRole('button', { name: 'Use the usual value' }).click();
  await expect(block(page)).toBeHidden();
  await expect(train(page)).toHaveAttribute('aria-disabled', 'false');

  await openPage({ task: 'gsm8k' });
  await expect(train(page)).toHaveAttribute('aria-disabled', 'true');
  await expect(block(page)).toContainText('is too small for the task');
  await expect(block(page).getByRole('button', { name: 'Choose a larger model…' })).toBeVisible();
  await expect(block(page).getByRole('button', { name: 'Load its rows' })).toBeVisible();
  await block(page).getByRole('button', { name: 'Choose Reverse digits' }).click();
  await expect(block(page)).toBeHidden();

  await openPage({ task: 'word_sorting', model: 'starter' });
  await expect(block(page)).toContainText('cannot read the task word_sorting');
  await expect(block(page).getByRole('button', { name: 'Choose a larger model…' })).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('notices')).toContainText('Nothing was trained');
  await expect(page.getByTestId('status')).toHaveAttribute('data-phase', 'idle');
  await block(page).getByRole('button', { name: 'Train anyway' }).click();
  await expect(block(page)).toBeHidden();
  await expect(train(page)).toHaveAttribute('aria-disabled', 'false');

  await openPage({ task: 'own:capitals' });
  await expect(block(page)).toContainText('own:capitals');
  await block(page).getByRole('button', { name: 'Choose Reverse digits' }).click();
  await expect(train(page)).toHaveAttribute('aria-disabled', 'false');
});

test('sixty-four answers tell format, right ones and groups with a signal, and change nothing of the run', async ({
  page,
  openPage,
}) => {
  const run = { task: 'reverse_digits', numSteps: 2, evalEvery: 0, evalSamples: 4, problemsPerStep: 2 };
  await openPage({ ...run, preflight: 'on' });
  const panel = page.getByTestId('preflight');
  await panel.getByRole('button', { name: 'Try 8 × 8 answers' }).click();
  await expect(panel).toContainText(/right format\s*\d+ of 64/);
  await expect(panel).toContainText(/groups of \d+ with mixed rewards\s*\d+% \(\d+%–\d+%\)/);
  await expect(panel).toContainText(/time for 2 steps\s*up to \d+:\d\d/);
  await expect(panel).toContainText(/memory\s*\d+ MB/);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const asked = await snapshotOf(page);
  await expectReadable(panel);

  // Train makes it by itself before step 1, to the same end.
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const itself = await snapshotOf(page);
  expect(itself.preflight?.facts.groups).toEqual(asked.preflight?.facts.groups);
  expect(itself.metrics.map(({ loss, reward }) => [loss, reward])).toEqual(
    asked.metrics.map(({ loss, reward }) => [loss, reward]),
  );
});

test('a model that knows no form is offered a warm-up', async ({ page, openPage }) => {
  await openPage({ task: 'sum_digits', model: 'starter-logic' });
  const panel = page.getByTestId('preflight');
  const override = block(page).getByRole('button', { name: 'Train anyway' });
  if (await override.isVisible()) await override.click();
  await panel.getByRole('button', { name: 'Try 8 × 8 answers' }).click();
  const finding = panel.locator('[data-finding=no_form]');
  await expect(finding).toContainText('0 of 64 answers are in the right format');
  await finding.getByRole('button', { name: 'Turn on the warm-up' }).click();
  await expect.poll(() => page.url()).toContain('warmStartSteps=60');
});

test('what a pre-flight finds can be mended in a run, too: another begins, and the first is kept', async ({
  page,
  openPage,
}) => {
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 2,
    evalSamples: 4,
    evalEvery: 0,
    // More than are ever made.
    numSteps: 100_000,
    maxTokens: 4,
    preflight: 'on',
  });
  await page.getByTestId('train-button').click();
  await reachStep(page, 1);
  const first = (await snapshotOf(page)).run;
  await openFold(page, 'Before step 1');
  const finding = page
    .getByTestId('preflight')
    .locator('[data-finding=truncated], [data-finding=never_ends]');
  await finding.getByRole('button', { name: /and start over$/ }).click();
  await expect.poll(async () => (await snapshotOf(page)).config?.maxTokens).toBeGreaterThan(4);
  await reachStep(page, 1);
  expect((await snapshotOf(page)).run).not.toBe(first);
});
