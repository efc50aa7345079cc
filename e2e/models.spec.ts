/** Models: those that come with the page, what is said of one that is loaded, and a task that does not fit it. */
import { starterFiles, zipped } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import { choose, snapshotOf } from './page.ts';

test('the chooser begins with the bundled models, and loads one with a press', async ({ page, openPage }) => {
  await openPage({ task: 'chain_sum', model: 'starter' });
  await page.getByTestId('model-picker-button').click();
  const picker = page.getByTestId('model-picker');
  await expect(picker.getByRole('heading').first()).toContainText('Bundled with this page');
  await expect(picker.getByTestId('bundled-model')).toHaveCount(8);
  await expect(picker.getByRole('button', { name: 'starter is loaded' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await picker.getByRole('button', { name: 'Load starter-gym' }).click();
  await expect(picker).toBeHidden();
  await expect(page.getByTestId('notices')).toContainText(
    'starter-gym is loaded Architecture llama, 345,696 parameters in 3 layers, a context of 512 tokens',
  );
  expect(await snapshotOf(page)).toMatchObject({ modelName: 'starter-gym', modelIsOurs: true });
  // It is what this task begins with, so the link need not name it.
  await expect.poll(() => page.url()).not.toContain('model=');
});

test('a task that does not fit the loaded model is said before Train, with what to choose', async ({
  page,
  openPage,
}) => {
  await openPage({ task: 'reverse_digits', maxTokens: 512 });
  const block = page.getByTestId('train-block');
  await expect(block).toContainText('Answers of 512 tokens do not fit starter.');
  await block.getByRole('button', { name: /^Set tokens per answer to \d+$/ }).click();
  await expect(block).toBeHidden();
  await expect(page.getByTestId('train-button')).toHaveAttribute('aria-disabled', 'false');

  // The starter with room for less than a prompt and a short answer.
  const files = starterFiles();
  const config = JSON.parse(new TextDecoder().decode(files.get('config.json'))) as object;
  const short = JSON.stringify({ ...config, max_position_embeddings: 12 });
  files.set('config.json', new TextEncoder().encode(short));
  await choose(page, zipped('short.zip', files));
  await expect(page.getByTestId('notices')).toContainText(/short\.zip is loaded.* a context of 12 tokens/);
  await expect(block).toContainText(
    /The prompts of this task do not fit .*\. They have up to \d+ tokens, and its context holds 12\./,
  );
  await expect(block.getByRole('button', { name: 'Choose another model…' })).toBeVisible();
});

test('answers to held-out problems are shown while they are being evaluated', async ({ page, openPage }) => {
  await openPage({ task: 'reverse_digits', numSteps: 1, evalEvery: 0, evalSamples: 1000 });
  await page.getByTestId('train-button').click();
  const answers = page.getByTestId('live-answers');
  // Until then the card has answers of the recorded run.
  await expect(answers).toContainText('to held-out problems');
  await expect(answers.getByRole('listitem')).toHaveCount(3);
  const { evaluations, evaluating } = await snapshotOf(page);
  expect([evaluations.length, evaluating.length]).toEqual([0, 3]);
});
