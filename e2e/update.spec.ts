/** The drawings of an update have the numbers that the run has recorded. */
import { expectReadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { openFold, reachPhase, snapshotOf } from './page.ts';

interface Answer {
  readonly group: number;
  readonly advantage: number;
  readonly logprobs: readonly number[];
}

const numberIn = (text: string | null): number =>
  Number(/-?\d+(\.\d+)?/.exec((text ?? '').replace('−', '-'))?.[0]);

test('the tree has the recorded probabilities, two losses agree at ρ = 1 with the advantage as their coefficient, and the drawn model has the logged norm', async ({
  page,
  openPage,
}) => {
  await openPage({
    task: 'reverse_digits',
    numSteps: 3,
    evalEvery: 0,
    evalSamples: 2,
    problemsPerStep: 6,
    rolloutsPerProblem: 8,
    learningRate: 0.001,
  });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await openFold(page, 'Token inspector');
  const inspector = page.getByTestId('inspector');
  const unfold = (title: string) => inspector.locator('summary', { hasText: title }).click();
  const answers = await page.evaluate(async () =>
    ((await window.rlPlayground?.controller.run?.log.linesOf(3)) ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer),
  );
  // The inspector opens at an answer that taught something.
  const answer = answers.find(({ advantage }) => advantage !== 0);
  if (answer === undefined) throw new Error('No group of the last step is mixed.');

  await unfold('What the update did');
  const update = inspector.getByTestId('update-tree');
  await expect(update.getByTestId('branch-tree')).toBeVisible();
  const rows = update.getByTestId('branch-table').locator('tbody tr');
  const drawn = await rows.count();
  expect(drawn).toBeGreaterThanOrEqual(2);
  for (let t = 0; t < drawn; t++) {
    const [before] = ((await rows.nth(t).locator('td').nth(1).textContent()) ?? '').split(' → ');
    expect(numberIn(before ?? '')).toBeCloseTo(100 * Math.exp(answer.logprobs[t] ?? NaN), 0);
  }
  const group = update.getByTestId('update-group').getByRole('button');
  await expect(group).toHaveCount(answers.filter((each) => each.group === answer.group).length);
  await expect(update.locator('[aria-pressed=true]')).toContainText('as likely');
  await update.getByRole('button', { name: /^Show token \d+, which moved most$/ }).click();
  await expect(inspector.getByText(/^Token (?!1 )\d+ of step 3/)).toBeVisible();

  await unfold('Two losses on this token');
  const losses = inspector.getByTestId('two-losses');
  await expect(losses.getByTestId('losses-verdict')).toContainText('both losses have the same formula');
  await losses.getByLabel('Second loss').selectOption('reinforce');
  await expect(losses.getByTestId('losses-verdict')).toContainText('They agree here: ρ is 1');
  for (const side of ['loss-first', 'loss-second']) {
    const g = losses.getByTestId(side).locator('dd.number').first();
    expect(numberIn(await g.textContent())).toBeCloseTo(answer.advantage, 1);
  }
  await losses.getByLabel('First loss').selectOption('dro');
  await expect(losses.getByTestId('loss-first')).toContainText('A · log p −');
  await expect(losses.getByRole('row', { name: /^1\.5/ })).toBeVisible();

  await unfold('The model, drawn');
  const model = inspector.getByTestId('model-drawing');
  const words = model.getByText(/^The gradient of step 3 had the norm/);
  await expect(words).toBeVisible();
  const { metrics } = await snapshotOf(page);
  const logged = Number(metrics.at(-1)?.['gradNorm']);
  expect(numberIn(((await words.textContent()) ?? '').split('norm')[1] ?? '') / logged).toBeCloseTo(1, 2);
  await expect(model.locator('[data-block="0 attention"]')).toContainText('4 heads');

  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    await expect(update.getByTestId('branch-tree')).toBeVisible();
    await expectReadable(inspector);
  }

  await test.step('after a reload the kept weights are asked', async () => {
    expect(await page.evaluate(() => window.rlPlayground?.kept.keepNow())).toBe(true);
    await page.reload();
    await page.getByTestId('kept-run').first().getByRole('button', { name: 'Open' }).click();
    await reachPhase(page, 'finished');
    await openFold(page, 'Token inspector');
    await unfold('What the update did');
    await update.getByRole('button', { name: 'Ask the model' }).click();
    await expect(update.getByTestId('branch-tree')).toBeVisible();
    await expect(update.getByTestId('update-group').getByRole('button')).toHaveCount(8);
  });
});
