/** The same question to the model before training and now. */
import { expect, test } from './fixtures.ts';
import { openFold, reachPhase, snapshotOf } from './page.ts';

test('two answers stand side by side, and the run goes on as it was', async ({ page, openPage }) => {
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 2,
    evalSamples: 2,
    numSteps: 3,
    learningRate: 0.003,
    warmupSteps: 0,
  });
  await openFold(page, 'Ask the model');
  const question = page.getByTestId('ask-question');
  await expect(question).not.toHaveValue('');
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await page.getByTestId('ask-button').click();
  const answers = page.getByTestId('ask-answers');
  await expect(answers).toContainText('Before training', { timeout: 60_000 });
  await expect(answers).toContainText('Now, after step 3');
  expect((await answers.locator('pre').first().textContent())?.length).toBeGreaterThan(0);
  await reachPhase(page, 'finished');
  expect((await snapshotOf(page)).metrics).toHaveLength(3);
});
