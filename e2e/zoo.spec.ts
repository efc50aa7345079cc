/** Alarms and the failure zoo: a recipe is run, named and cured; a run that goes wrong goes on from a kept checkpoint. */
import { ZOO } from '@rl-playground/run/settings';
import { expect, slowTest, test } from './fixtures.ts';
import { openFold, pauseAtAlarms, reachPhase, snapshotOf, untilEnd } from './page.ts';

/** The most answers of a recipe, whose panel promises a run of less than a minute. */
const MOST_ANSWERS = 4000;

test('a recipe fails, is named, and is cured with a click; an alarm rolls the run back, and halves its rate', async ({
  page,
  openPage,
}) => {
  await openPage({ task: 'sum_digits', evalSamples: 2 });
  await openFold(page, 'Failure zoo');
  const recipe = page.getByTestId('zoo-entropy');
  const alarm = page.getByTestId('alarm');
  await expect(page.locator('[data-testid^="zoo-"] h3')).toHaveCount(12);
  await pauseAtAlarms(page);
  await recipe.getByRole('button', { name: 'Run it' }).click();
  await expect(recipe.getByTestId('zoo-alarm')).toHaveAttribute('data-right', 'true');
  await reachPhase(page, 'paused');
  await expect(alarm).toHaveCount(1);
  await expect(alarm).toContainText('Sample at temperature 1');
  await recipe.getByRole('button', { name: 'Apply the cure and run again' }).click();
  await expect.poll(async () => (await snapshotOf(page)).config?.temperature).toBe(1);
  await expect(alarm).toHaveCount(0);

  // Answers of 8 tokens are all cut.
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 2,
    rolloutsPerProblem: 4,
    maxTokens: 8,
    numGenerators: 1,
    evalSamples: 2,
    evalEvery: 2,
    numSteps: 100_000,
  });
  await pauseAtAlarms(page);
  await page.getByTestId('train-button').click();
  await expect(alarm).toHaveAttribute('data-diagnosis', 'answers-cut');
  await reachPhase(page, 'paused');
  await alarm.getByRole('button', { name: 'Halve the learning rate' }).click();
  await expect.poll(async () => (await snapshotOf(page)).config?.learningRate).toBe(1.5e-4);
  const halved = (await snapshotOf(page)).run;
  await expect(alarm).toBeVisible();
  await reachPhase(page, 'paused');
  await alarm.getByRole('button', { name: 'Roll back to best' }).click();
  await expect.poll(async () => (await snapshotOf(page)).config?.maxTokens).toBe(16);
  await expect.poll(async () => (await snapshotOf(page)).run).not.toBe(halved);
});

slowTest('each of the twelve is small and named for what it is', async ({ page, openPage }) => {
  await openPage({ evalSamples: 2 });
  await openFold(page, 'Failure zoo');
  for (const { id } of ZOO)
    await test.step(id, async () => {
      const recipe = page.getByTestId(`zoo-${id}`);
      await untilEnd(page, () => recipe.getByRole('button', { name: 'Run it' }).click());
      const { metrics } = await snapshotOf(page);
      const answers = metrics.reduce((sum, { tasks }) => sum + tasks.reduce((all, { n }) => all + n, 0), 0);
      console.log(`${id}: ${metrics.length} steps, ${answers} answers`);
      expect.soft(answers, id).toBeLessThanOrEqual(MOST_ANSWERS);
      await expect.soft(recipe.getByTestId('zoo-alarm'), id).toHaveAttribute('data-right', 'true');
    });
});
