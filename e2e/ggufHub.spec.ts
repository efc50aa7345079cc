/** A repository of GGUF files: they are listed with what they take, one is chosen, loaded, kept, and loaded again without the server. */
import { ggufBytes, tinyGguf } from '@rl-playground/engine/testing/ggufBytes';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { expect, test } from './fixtures.ts';
import { reachLoaded, snapshotOf } from './page.ts';

const COMMIT = 'e'.repeat(40);
const TINY = ggufBytes(tinyGguf());
/** The model with an architecture that is not built. */
const OTHER = ggufBytes({
  ...tinyGguf(),
  values: tinyGguf().values.map((entry) =>
    entry.key === 'general.architecture' ? { ...entry, value: 'mamba' } : entry,
  ),
});

let hub: HubServer;
test.beforeAll(async () => {
  hub = await startHub({
    'test/tiny-GGUF': {
      commit: COMMIT,
      files: new Map([
        ['tiny-Q8_0.gguf', TINY],
        ['tiny-mamba-F16.gguf', new Uint8Array([...OTHER, ...new Uint8Array(64)])],
      ]),
      ggufWeights: 8 * TINY.length,
    },
  });
});
test.afterAll(() => hub.close());
test.beforeEach(({ allowServers }) => allowServers(hub.url, hub.storageUrl));

test('its files are listed with sizes and bits; one is loaded, and kept', async ({ page, openPage }) => {
  await openPage({ task: 'reverse_digits', numGenerators: 1 });
  await page.getByTestId('model-picker-button').click();
  const picker = page.getByTestId('model-picker');
  await picker.getByText('Token and server').click();
  await page.getByTestId('hub-url').fill(hub.url);
  await page.getByTestId('model-name').fill('test/tiny-GGUF');
  await page.getByTestId('model-look-up').click();

  const row = page.getByTestId('gguf-files').getByRole('row');
  await expect(row).toHaveCount(3);
  await expect(row.nth(1)).toContainText('tiny-Q8_0.gguf');
  // As many bits as bytes: the server states eight weights for each byte.
  await expect(row.nth(1)).toContainText('1.0');

  await page.getByRole('button', { name: 'Look up tiny-mamba-F16.gguf' }).click();
  await expect(page.getByTestId('model-failed')).toContainText('mamba');
  await expect(page.getByTestId('found-model')).toBeHidden();

  await page.getByTestId('model-name').fill('test/tiny-GGUF:Q8_0');
  await page.getByTestId('model-look-up').click();
  await expect(page.getByTestId('found-model')).toContainText('Q8_0');
  const formats = page.getByTestId('format-table');
  await formats.getByRole('button', { name: '8 bit' }).click();
  await expect(formats.getByRole('button', { pressed: true })).toHaveText('8 bit');
  await page.getByTestId('model-load').click();
  await expect(picker).toBeHidden();
  expect((await snapshotOf(page)).modelName).toBe('test/tiny-GGUF:Q8_0');

  await page.reload();
  await reachLoaded(page);
  hub.ranges.splice(0);
  await page.getByTestId('model-picker-button').click();
  await page.getByRole('button', { name: 'Load test/tiny-GGUF:Q8_0' }).click();
  await expect(picker).toBeHidden();
  expect((await snapshotOf(page)).modelName).toBe('test/tiny-GGUF:Q8_0');
  expect(hub.ranges).toEqual([]);
});
