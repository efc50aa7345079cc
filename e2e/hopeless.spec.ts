/** The word before a run of a model from elsewhere that nothing would come of. */
import { writeFile } from 'node:fs/promises';
import { byteGguf } from '@rl-playground/engine/testing/ggufBytes';
import { expect, test } from './fixtures.ts';
import { holdBack, notice, reachPhase, snapshotOf } from './page.ts';

test('a model from elsewhere gives 16 answers when it first meets a task, and a run that nothing would come of waits, with what may help', async ({
  page,
  openPage,
}, info) => {
  await openPage({ task: 'sum_digits', maxTokens: 8, evalSamples: 1000, evalEvery: 0, preflight: 'on' });
  const path = info.outputPath('tiny.gguf');
  await writeFile(path, byteGguf());
  await page.getByTestId('load-input').setInputFiles(path);
  await expect.poll(async () => (await snapshotOf(page)).modelName).toBe('tiny.gguf');

  // No generator can answer before the script of its worker has come.
  const letThrough = await holdBack(page, '**/assets/worker-*.js');
  await page.getByTestId('train-button').click();
  const first = page
    .getByTestId('notices')
    .getByRole('status')
    .filter({ hasText: 'meets this task for the first time' });
  await first.getByRole('button', { name: 'Skip' }).click();
  letThrough();
  await expect(first).toHaveCount(0);
  // A run that is stopped while its first evaluation is made has nothing to show, and can be left all the same.
  await reachPhase(page, 'evaluating');
  await page.getByTestId('stop-button').click();
  await reachPhase(page, 'stopped');
  expect((await snapshotOf(page)).preflight).toBeNull();
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');

  await page.getByTestId('task-select').selectOption('reverse_digits');
  await page.getByTestId('train-button').click();
  const hopeless = notice(page, 'No reward, nothing to learn from');
  await expect(hopeless).toContainText('None of 16 answers is right');
  await reachPhase(page, 'idle');
  expect(await snapshotOf(page)).toMatchObject({ step: 0, metrics: [], evaluations: [] });
  await expect(hopeless.getByRole('button', { name: 'Turn on the warm-up' })).toBeVisible();
  await hopeless.getByRole('button', { name: 'Try “Instructions”' }).click();
  await expect(page.getByTestId('task-select')).toHaveValue('instructions');
  await expect.poll(async () => (await snapshotOf(page)).config?.task).toBe('instructions');
});
