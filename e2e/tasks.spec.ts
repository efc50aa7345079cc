/** Choosing what to learn: the dropdown, a task's own settings, mixtures, curricula. */
import { expect, test } from './fixtures.ts';
import { choose, download, reachPhase, snapshotOf } from './page.ts';

const FEW = { numSteps: 3, problemsPerStep: 8, rolloutsPerProblem: 4, evalSamples: 12, evalEvery: 0 };

test('a task brings its example, its difficulty and its settings, and the address keeps them; one with few problems says so; a mixture says which tasks its model cannot read, and is refused without any', async ({
  page,
  openPage,
}) => {
  await openPage();
  const select = page.getByTestId('task-select');
  await select.selectOption({ label: 'Spell backward' });
  const settings = page.getByTestId('task-settings');
  await settings.getByTestId('difficulty').selectOption({ index: 0 });
  await expect(page.getByText('Expected form')).toBeVisible();
  await settings.getByText('Task settings').click();
  await settings.getByLabel('Longest word').fill('8');
  await expect(settings.getByTestId('difficulty')).toHaveValue('-1');
  await expect.poll(() => new URL(page.url()).searchParams.get('taskConfig')).toContain('"max_word_len":8');

  await settings.getByLabel('Longest word').fill('99');
  await expect(settings.getByText(/99 is too large; choose \d+ to \d+\./)).toBeVisible();
  await page.reload();
  await expect(select).toHaveValue('spell_backward');
  await page.getByTestId('task-settings').getByText('Task settings').click();
  await expect(page.getByTestId('task-settings').getByLabel('Longest word')).toHaveValue('8');

  await select.selectOption('coin_flip');
  await expect(page.getByText(/Only [\d,]+ different problems exist/)).toBeVisible();
  await expect(page.getByTestId('task-expectation')).toContainText('too small for this task');

  await select.selectOption('mixture');
  await expect(page.getByText(/needs at least one task/).first()).toBeVisible();
  await page.getByTestId('mixture').getByRole('button', { name: 'Add a task' }).click();
  await expect(page.getByText(/needs at least one task/)).toHaveCount(0);
  const part = page.getByTestId('mixture');
  await expect(part.getByText(/was not made for this task/)).toHaveCount(0);
  await part.getByLabel('Task', { exact: true }).selectOption('coin_flip');
  await expect(part.getByText('The model starter was not made for this task')).toBeVisible();
  await part.getByRole('button', { name: 'Choose a larger model…' }).click();
  await expect(page.getByRole('dialog')).toContainText('Hugging Face');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Remove .* from the mixture/ }).click();
  await expect(page.getByText(/needs at least one task/).first()).toBeVisible();
});

test('a mixture asks each task by its weight, draws a curve for each, and goes through a checkpoint', async ({
  page,
  openPage,
}) => {
  const mixture = [
    { task: 'sum_digits', weight: 3, config: {} },
    { task: 'reverse_digits', weight: 1, config: { reward_rule: 'correct_only' } },
  ];
  await openPage({ task: 'mixture', mixture: JSON.stringify(mixture), ...FEW, numSteps: 2 });
  await expect(page.getByTestId('mixture')).toContainText('sum_digits, 75% of the problems');
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const { metrics, evaluations } = await snapshotOf(page);
  const asked = metrics.flatMap(({ tasks }) => tasks);
  const answers = (task: string): number =>
    asked.filter((each) => each.task === task).reduce((sum, { n }) => sum + n, 0);
  expect(answers('sum_digits') + answers('reverse_digits')).toBe(2 * 8 * 4);
  expect(answers('sum_digits')).toBeGreaterThan(answers('reverse_digits'));
  expect(evaluations[0]?.tasks.map(({ task, n }) => [task, n])).toEqual([
    ['sum_digits', 9],
    ['reverse_digits', 3],
  ]);
  for (const task of ['sum_digits', 'reverse_digits'])
    await expect(page.getByTestId(`chart-task-${task}`)).toHaveAttribute('data-points', '2');

  const saved = await download(page);
  await page.goto('./');
  await expect(page.getByTestId('train-button')).toBeEnabled();
  await choose(page, saved);
  await expect(page.getByTestId('task-select')).toHaveValue('mixture');
  await expect(page.getByTestId('chart-task-sum_digits')).toHaveAttribute('data-points', '2');
});

test('a curriculum goes back a level where few answers are right, and a chart has a line for each level', async ({
  page,
  openPage,
}) => {
  const curriculum = { curriculum: 'success', curriculumStart: 3, curriculumWindow: 32, curriculumEvery: 1 };
  // The model of the digit tasks knows nothing of this one.
  await openPage({ task: 'chain_sum', model: 'starter', ...curriculum, ...FEW, levelSamples: 2 });
  await page.getByRole('button', { name: 'Train anyway' }).click();
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const { metrics, evaluations } = await snapshotOf(page);
  expect(metrics.map(({ tasks }) => tasks[0]?.level)).toEqual([3, 2, 1]);
  await expect(page.getByTestId('chart-task-chain_sum')).toContainText('level 1');
  const levels = evaluations.map((evaluation) => evaluation.levels?.map(({ level, n }) => [level, n]));
  expect(levels).toEqual([0, 3].map(() => [1, 2, 3, 4, 5].map((level) => [level, 2])));
  const chart = page.getByTestId('chart-levels-chain_sum');
  await expect(chart).toHaveAttribute('data-points', '2');
  await expect(chart).toHaveAttribute(
    'aria-label',
    /^chain_sum by level: level 1 0\.0%, .* level 5 0\.0% at step 3$/,
  );
});
