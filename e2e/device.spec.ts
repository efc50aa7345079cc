/** “Benchmark this machine”: its result, the link that carries it, and a link that is no result. */
import { expect, test } from './fixtures.ts';
import { snapshotOf } from './page.ts';

test('the machine is measured, a link shows the result beside one’s own, and a broken link changes nothing', async ({
  page,
  openPage,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(new URL(request.url()).pathname));
  await openPage();
  await page.getByTestId('adapter-line').click();
  await page.getByTestId('help-sheet').getByRole('button', { name: 'Benchmark this machine' }).click();
  const sheet = page.getByTestId('benchmark-sheet');
  await expect(sheet).toContainText('The page sends nothing');
  // What measures comes when somebody measures.
  const chunk = /\/benchmarkInPage-[^/]*\.js$/;
  expect(scripts.filter((path) => chunk.test(path))).toEqual([]);
  await sheet.getByTestId('benchmark-button').click();
  const table = sheet.getByTestId('benchmark-table');
  await expect(table.getByRole('columnheader')).toHaveText(['Measure', 'This machine']);
  await expect(table.getByRole('row', { name: /^Backend/ })).toContainText('CPU (WebAssembly)');
  const figure = /[\d,.]+ \((?:1 try|[\d,.]+–[\d,.]+)\)( at 256³)?$/;
  for (const name of [/^Copying memory, GB\/s/, /^Matrix product, GFLOP\/s/])
    await expect(table.getByRole('row', { name })).toHaveText(figure);
  // The page's own run is as it was.
  expect(await snapshotOf(page)).toMatchObject({ phase: 'idle', step: 0 });

  await sheet.getByRole('group', { name: 'This machine' }).getByTestId('benchmark-link').click();
  await expect(sheet).toContainText('Copied. The link holds the whole result.');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/\/#device=[\w-]+$/);
  const measured = await table.getByRole('cell').allTextContents();

  await page.goto(link);
  await expect(table.getByRole('columnheader')).toHaveText(['Measure', 'This machine', 'From the link']);
  // Each row says the same twice, because both columns are of this machine.
  expect(await table.getByRole('cell').allTextContents()).toEqual(measured.flatMap((text) => [text, text]));

  await page.evaluate(() => (window.location.hash = '#device=broken'));
  await expect(sheet.getByTestId('benchmark-link-problem')).toContainText('can’t be read');
  await expect(table.getByRole('columnheader')).toHaveText(['Measure', 'This machine']);
  await page.getByRole('button', { name: 'Close the benchmark' }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByTestId('train-button')).toHaveAttribute('aria-disabled', 'false');
});
