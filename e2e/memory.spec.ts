/** The page plans the memory of a run as settings change. */
import { expect, test } from './fixtures.ts';
import { number, openFold, reachPhase } from './page.ts';

test('the plan follows the settings, and knows the machine’s speed once a run was seen', async ({
  page,
  openPage,
}) => {
  await openPage({ problemsPerStep: 2, rolloutsPerProblem: 2, evalSamples: 1, numSteps: 2 });
  await openFold(page, 'Memory');
  const plan = page.getByTestId('plan');
  await expect(plan).toHaveAttribute('data-fits', 'true');
  await expect(plan).toContainText('speed is not known yet');
  const cells = plan.getByRole('row', { name: /^keys and values/ }).getByRole('cell');
  const before = await cells.last().textContent();
  await number(page, 'Answers per problem').fill('256');
  await expect(cells.last()).not.toHaveText(before ?? '');
  await number(page, 'Answers per problem').fill('2');
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await expect(plan).toContainText(/A step is expected to take up to [\d.]+ seconds/);
});
