/** The reward calculator: any task's problems, a completion to edit, and every part of its reward. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { sha256 } from '@rl-playground/base/testing/sha256';
import { goTo, openFold } from './page.ts';
import { expectReadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';

async function open(page: Page): Promise<void> {
  await openFold(page, 'Reward calculator');
  await expect(page.getByTestId('calculator-total')).toBeVisible();
}

/** The task is chosen on Train. */
async function chooseTask(page: Page, task: string): Promise<void> {
  await goTo(page, 'train');
  await page.getByTestId('task-select').selectOption(task);
  await goTo(page, 'make');
}

/** Another share of the tasks for each build of the page; all of them with PROOFS=all, and in `src/tasks/gym/problems.test.ts`. */
const SHARES = 6;
/** The page names its files by what is in them. */
function shareOfBuild(): number {
  const page = readFileSync(fileURLToPath(new URL('../dist/index.html', import.meta.url)));
  return Number.parseInt(sha256(page).slice(0, 8), 16) % SHARES;
}

test('a completion of the digit sums, edited; problem after problem, and both scorings; tasks with a worked answer, or without rows; a mixture offers its tasks, by labels on a phone, readable in light and dark', async ({
  page,
  openPage,
}) => {
  await openPage({ task: 'sum_digits' });
  await open(page);
  const answer = await page.getByTestId('calculator-answer').innerText();
  const completion = page.getByLabel('Completion', { exact: true });
  await expect(completion).toHaveValue(new RegExp(`\\[ANSWER\\] ${answer}$`));
  // 1 for the answer, and the recommended 2 for steps that are all right.
  await expect(page.getByTestId('calculator-total')).toHaveText('3.00');
  await expect(page.getByTestId('calculator-correct')).toContainText('yes');

  await completion.fill(`I think it is = ${Number(answer) + 1}`);
  await expect(page.getByTestId('calculator-correct')).toContainText(`no; one right answer is ${answer}`);
  await expect(page.getByTestId('calculator-extracted')).toContainText(`${Number(answer) + 1}`);
  await expect(page.getByTestId('calculator-extracted')).toContainText('after the last equals sign');
  await expect(page.getByTestId('calculator-format')).toContainText('wrong');
  await expect(page.getByTestId('calculator-total')).not.toHaveText('3.00');

  await completion.fill('');
  await expect(page.getByTestId('calculator-extracted')).toHaveText('nothing, found nowhere');
  await page.getByRole('button', { name: 'Reset to the worked answer' }).click();
  await expect(page.getByTestId('calculator-total')).toHaveText('3.00');

  await chooseTask(page, 'chain_sum');
  const first = await page.getByTestId('calculator-question').innerText();
  await page.getByRole('button', { name: 'Next problem' }).click();
  const second = await page.getByTestId('calculator-question').innerText();
  expect(second).not.toBe(first);
  await page.getByRole('button', { name: 'Previous problem' }).click();
  await expect(page.getByTestId('calculator-question')).toHaveText(first);

  // The truth somewhere in the answer: a share of the score upstream, nothing in strict scoring.
  const sum = await page.getByTestId('calculator-answer').innerText();
  await completion.fill(`<answer>${sum}${sum} or so</answer>`);
  const accuracy = page.getByRole('row', { name: /^accuracy/ }).getByRole('cell');
  await expect(accuracy).toHaveText('0.00');
  await page.getByTestId('calculator').getByText('upstream scoring').click();
  await expect(accuracy).not.toHaveText('0.00');
  // The task that is chosen already keeps what was typed.
  await page.getByRole('button', { name: 'Reset to the worked answer' }).click();

  await test.step('tasks show a worked answer that is right, and one without its rows says what to do', async () => {
    const select = page.getByTestId('task-select');
    const names = await select
      .locator('option')
      .evaluateAll((options) =>
        options.map((option) => (option instanceof HTMLOptionElement ? option.value : '')),
      );
    expect(names.length).toBeGreaterThan(5);
    const shown = names.filter((name) => name !== 'mixture' && name !== 'gsm8k');
    const share = shareOfBuild();
    for (const name of provenBy(
      shown,
      shown.filter((_, i) => i % SHARES === share),
    )) {
      await chooseTask(page, name);
      await expect(page.getByTestId('calculator-correct'), name).toContainText('yes');
    }

    await chooseTask(page, 'gsm8k');
    await expect(page.getByTestId('calculator')).toContainText('GSM8K is not loaded');
  });

  await page.setViewportSize({ width: 360, height: 740 });
  const mixture = ['sum_digits', 'chain_sum'].map((task) => ({ task, weight: 1, config: {} }));
  await openPage({ task: 'mixture', mixture: JSON.stringify(mixture) });
  await open(page);
  const choice = page.getByLabel('Task of the mixture');
  const parts = await choice.locator('option').allInnerTexts();
  expect(parts.length).toBeGreaterThan(1);
  await choice.selectOption({ index: 1 });
  await expect(page.getByTestId('calculator')).toContainText(parts[1] ?? '');

  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await completion.fill('nothing right');
  await expect(page.getByTestId('calculator-result')).toHaveAttribute('aria-live', 'polite');
  const region = page.getByRole('region', { name: 'Reward calculator' });
  for (const role of ['button', 'combobox', 'textbox', 'radio', 'radiogroup'] as const) {
    const all = await region.getByRole(role).count();
    await expect(region.getByRole(role, { name: /\S/ }), `each ${role} has a name`).toHaveCount(all);
  }
  await expectReadable(region);
});
