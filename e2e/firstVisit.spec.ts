/** The first seconds of a first visit: a recorded run plays before the model is there, and what can be tried says so and does it. */
import { expect, test } from './fixtures.ts';
import { reachPhase, status } from './page.ts';

test('a recorded run plays, labelled, before the model has come, and makes room for one’s own', async ({
  page,
}) => {
  let letThrough = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route('**/models/**', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('./?backend=wasm&keep=off');
  await expect(page.getByTestId('task-select')).toHaveValue('reverse_digits');
  const recorded = page.getByTestId('recorded');
  await expect(recorded).toBeVisible({ timeout: 60_000 });
  await expect(recorded).toContainText(
    /Recorded run of 2026-\d\d-\d\d, CPU, 2 threads: .* right in \d+:\d\d/,
  );
  const line = page.getByTestId('chart-reward').locator('.chart-line[stroke="var(--run-5)"]');
  await expect(line).toBeVisible({ timeout: 60_000 });
  // It grows as it plays, while there is nothing to train yet.
  const path = (): Promise<string | null> => line.getAttribute('d');
  const begun = await path();
  await expect.poll(path, { timeout: 15_000 }).not.toBe(begun);
  await expect(status(page)).toHaveAttribute('data-phase', 'loading');
  await expect(page.getByTestId('chart-reward')).toHaveAttribute('data-points', '0');

  letThrough();
  await reachPhase(page, 'idle');
  await page.getByTestId('step-button').click();
  await reachPhase(page, 'paused');
  await expect(recorded).toBeHidden();
});

test('links that name no task keep the one that they were written for', async ({ page }) => {
  for (const [address, task] of [
    ['./?backend=wasm', 'reverse_digits'],
    ['./?v=3&backend=wasm', 'sum_digits'],
    ['./?seed=3&backend=wasm', 'sum_digits'],
    ['./?v=2&learningRate=0.001&backend=wasm', 'sum_digits'],
    ['./?v=3&task=gcd&backend=wasm', 'gcd'],
  ] as const) {
    await page.goto(address);
    await expect(page.getByTestId('task-select')).toHaveValue(task);
    if (task !== 'reverse_digits') await expect(page.getByTestId('recorded')).toBeHidden();
  }
  // What the page opens with needs no words in the address, everything else says its version.
  await page.getByTestId('task-select').selectOption('sum_digits');
  await expect(page).toHaveURL(/\?backend=wasm&v=\d+&task=sum_digits$/);
  await page.getByTestId('task-select').selectOption('reverse_digits');
  await expect(page).toHaveURL(/\?backend=wasm$/);
});

test('cards choose a first run and say what was timed here; sentences set the control that they name', async ({
  page,
}) => {
  await page.goto('./?backend=wasm&keep=off&v=3&task=reverse_digits&numSteps=6&evalSamples=2&passAtK=1');
  await reachPhase(page, 'idle');
  const box = page.getByTestId('try-this');
  const card = box.getByRole('button', { name: /^Reverse digits/ });
  await expect(card).toContainText('not timed on this machine yet');
  const preset = box.getByRole('button', { name: /^Preset: Monarch digits/ });
  await expect(preset).toContainText('20 steps, not timed on this machine yet');
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await expect(card).toContainText(/150 steps, about \d+:\d\d here/);
  // From the speed that the run had, as the pre-flight would say it.
  await expect(preset).toContainText(/20 steps, about \d+:\d\d, estimated/);
  await page.reload();
  await reachPhase(page, 'idle');
  await expect(card).toContainText('here');
  await box.getByRole('button', { name: 'learning rate × 30' }).click();
  const rate = page.getByRole('spinbutton', { name: 'Learning rate', exact: true });
  await expect(rate).toHaveValue('0.009');
  await expect(rate).toBeFocused();
  await box.getByRole('button', { name: 'only 2 answers' }).click();
  await expect(page.getByRole('spinbutton', { name: 'Answers per problem', exact: true })).toHaveValue('2');
  await box.getByRole('button', { name: 'REINFORCE' }).click();
  await expect(page.getByTestId('loss-select')).toHaveValue('reinforce');
  await preset.click();
  await expect(preset).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('spinbutton', { name: 'Steps', exact: true })).toHaveValue('20');
  await box.getByRole('button', { name: /^Sum digits/ }).click();
  await expect(page.getByTestId('task-select')).toHaveValue('sum_digits');
});
