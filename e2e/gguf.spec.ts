/** A GGUF file on the page: refused with its reason, trained, and kept with the run that began from it. */
import { byteGguf, ggufBytes, TEXT, tinyGguf } from '@rl-playground/engine/testing/ggufBytes';
import { unzipped } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import { choose, drop, fileBehind, notice, reachKept, reachPhase, reachStep, snapshotOf } from './page.ts';

const SETTINGS = {
  task: 'reverse_digits',
  loraRank: 2,
  // A small base lies in the pool otherwise, and is no file any more.
  baseFormat: 'f32',
  problemsPerStep: 1,
  rolloutsPerProblem: 2,
  maxTokens: 8,
  evalSamples: 1,
  evalEvery: 0,
  numGenerators: 1,
  numSteps: 2,
};

test('a file that is not supported is refused by its name and reason; another is trained, kept and gone on with', async ({
  page,
  openPage,
}, testInfo) => {
  await openPage(SETTINGS);
  const tiny = tinyGguf();
  const values = tiny.values.filter(({ key }) => key !== 'general.architecture');
  const mamba = { key: 'general.architecture', type: TEXT, value: 'mamba' };
  const bytes = ggufBytes({ ...tiny, values: [mamba, ...values] });
  await drop(page, { name: 'mamba.gguf', bytes }, testInfo);
  await expect(notice(page, 'mamba.gguf was not loaded')).toContainText(
    'mamba.gguf: the architecture is "mamba", which needs layers with a state',
  );
  expect((await snapshotOf(page)).modelName).toBe('starter');

  const file = { name: 'bytes.gguf', bytes: byteGguf() };
  await choose(page, file);
  await expect(page.getByTestId('notices').getByText(/Architecture llama/)).toBeVisible();
  expect((await snapshotOf(page)).modelName).toBe('bytes.gguf');
  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  await reachPhase(page, 'paused');
  await reachKept(page);

  // The kept run has the file, so nothing has to be opened again.
  await openPage(SETTINGS);
  await page.getByTestId('kept-run').first().getByRole('button', { name: 'Continue from step 1' }).click();
  await reachPhase(page, 'paused');
  expect((await snapshotOf(page)).modelName).toBe('bytes.gguf');
  await page.getByTestId('step-button').click();
  await reachPhase(page, 'finished');
  const saved = unzipped(await fileBehind(page, 'full-download-button'));
  expect(saved.get('base/model.gguf')).toEqual(new Uint8Array(file.bytes));
  expect(JSON.parse(new TextDecoder().decode(saved.get('config.json')))).toMatchObject({
    model_type: 'llama',
  });
});
