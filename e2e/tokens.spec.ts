/** An answer token by token: its numbers are those of the run, and its terms those of the loss. */
import { expectReadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { goTo, openFold, reachPhase } from './page.ts';

test('the inspector shows any kept step: searched, walked by keyboard, and with what the model would write; tokens are explained beside each answer, on a phone too', async ({
  page,
  openPage,
}) => {
  await openPage({
    task: 'reverse_digits',
    numSteps: 2,
    evalEvery: 0,
    evalSamples: 2,
    problemsPerStep: 6,
    rolloutsPerProblem: 8,
    numSubsteps: 2,
    entropyCoef: 0.01,
  });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await openFold(page, 'Token inspector');
  const inspector = page.getByTestId('inspector');
  const list = inspector.getByTestId('inspector-answers');
  await expect(list.getByRole('option').first()).toHaveAttribute('aria-setsize', '48');
  // Only the rows in sight exist, of 48.
  expect(await list.getByRole('option').count()).toBeLessThan(40);

  const slider = inspector.getByTestId('inspector-step');
  await expect(slider).toHaveAttribute('aria-valuetext', 'step 2, the newest');
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(slider).toHaveAttribute('aria-valuetext', 'step 1');

  const lines = await page.evaluate(
    async () => (await window.rlPlayground?.controller.run?.log.linesOf(1)) ?? '',
  );
  const answers = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { completion: string; correct: boolean });
  const shown = inspector.getByText(/^\d+ of 48 answers$/);
  const words = (answers[9]?.completion ?? '').toLowerCase().split(/\s+/);
  const has = ({ completion }: { completion: string }) =>
    words.every((word) => `reverse ${completion.toLowerCase()}`.includes(word));
  await inspector.getByTestId('inspector-search').fill(words.join(' '));
  await expect(shown).toHaveText(/^\d{1,2} of/);
  expect(Number((await shown.textContent())?.split(' ')[0])).toBeGreaterThanOrEqual(
    answers.filter(has).length,
  );
  await inspector.getByTestId('inspector-search').fill('');
  await inspector.getByLabel('Show').selectOption('wrong');
  await expect(shown).toHaveText(`${answers.filter(({ correct }) => !correct).length} of 48 answers`);
  await inspector.getByLabel('Show').selectOption('all');

  await list.focus();
  await page.keyboard.press('Home');
  // The mouse points, and then rests where the keyboard scrolls other answers beneath it.
  const cell = inspector.getByRole('gridcell').nth(2);
  await cell.hover();
  await expect(cell).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Home');
  for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowDown');
  await expect(list.locator('[aria-selected=true]')).toHaveAttribute('aria-posinset', '10');
  // The tenth answer is the second to the second problem.
  const prompt = inspector.locator('details', { hasText: /^As the model sees it, \d+ tokens/ });
  await prompt.locator('summary').click();
  const { question } = JSON.parse(lines.split('\n')[9] ?? '') as { question: string };
  await expect(prompt.locator('code')).toContainText(question);
  const grid = inspector.getByTestId('inspector-tokens');
  await grid.focus();
  await page.keyboard.press('ArrowRight');
  await expect(grid.locator('[aria-selected=true]')).toHaveAttribute('aria-colindex', '2');
  await expect(inspector.getByText('Token 2 of step 1')).toBeVisible();
  await expect(inspector.getByTestId('token-numbers')).toContainText(/adds to the loss/);
  await expect(inspector.getByTestId('token-numbers')).toContainText(/entropy bonus/);
  await expect(inspector.getByTestId('formula')).toContainText(/adds= w · ℓ − [\d.e−]+ · H/);
  await expect(inspector.getByTestId('which-update')).toContainText('A step has 2 updates.');
  await expect(inspector.getByTestId('formula')).toContainText('= −min(ρ · A, clip(ρ, ');
  await expect(inspector.getByTestId('formula')).toContainText('ρ= exp(log p − log p_old)');
  const likeliest = inspector.getByTestId('likeliest');
  await expect(likeliest).toContainText('from the model that wrote the answer');
  await expect(likeliest.getByRole('listitem')).toHaveCount(5);
  const written = (await likeliest.textContent()) ?? '';
  await page.keyboard.press('ArrowDown');
  await expect(list.locator('[aria-selected=true]')).toHaveAttribute('aria-posinset', '11');

  await expectReadable(inspector);

  await test.step('beside an answer: coloured, walked by keyboard and explained', async () => {
    await goTo(page, 'answers');
    const row = page.getByTestId('rollouts').locator('li[data-correct]').first();
    await row.getByRole('button', { name: 'Tokens' }).click();
    const view = row.getByTestId('token-view');
    const tokens = view.getByRole('group', { name: 'Tokens of the answer' }).getByRole('button');
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ])
      await test.step(`at ${viewport.width} x ${viewport.height}`, async () => {
        await page.setViewportSize(viewport);
        await expect(tokens.first()).toBeVisible();
        const numbers = view.getByTestId('token-numbers');
        await expect(numbers).toContainText(/adds to the loss/);
        await expect(numbers).toContainText(/clipped\s*no/);
        await tokens.first().focus();
        await page.keyboard.press('ArrowRight');
        await expect(tokens.nth(1)).toBeFocused();
        await expect(tokens.nth(1)).toHaveAttribute('aria-current', 'true');
        for (const measure of ['entropy', 'ratio', 'gap', 'logprob']) {
          await view.getByLabel('Colour by').selectOption(measure);
          await expect(tokens.first()).toBeVisible();
        }
        await expectReadable(view);
      });
  });

  await test.step('after a reload the weights that wrote it are asked again', async () => {
    expect(await page.evaluate(() => window.rlPlayground?.kept.keepNow())).toBe(true);
    await page.reload();
    await page.getByTestId('kept-run').first().getByRole('button', { name: 'Open' }).click();
    await reachPhase(page, 'finished');
    await openFold(page, 'Token inspector');
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await expect(slider).toHaveAttribute('aria-valuetext', 'step 1');
    await list.focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowDown');
    await grid.focus();
    await page.keyboard.press('ArrowRight');
    await inspector.getByRole('button', { name: 'Ask the model' }).click();
    await expect(likeliest).toHaveText(written);
  });
});
