/** "Benchmark this machine": the smallest benchmark there is, its result taken along, and what must not disturb it. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Locator, Page } from '@playwright/test';
import * as z from 'zod';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { unreadableIn } from './contrast.ts';
import { expect, slowTest, test } from './fixtures.ts';
import { reachPhase, reachStep } from './page.ts';

const spread = z.strictObject({ median: z.number(), min: z.number(), max: z.number(), unit: z.string() });
const peer = z.enum(['tfjs', 'jax-js', 'transformers.js', 'wasm']);
const report = z.strictObject({
  adapter: z.string(),
  backend: z.enum(['webgpu', 'wasm']),
  results: z.array(
    z.strictObject({
      name: z.string(),
      shape: z.string(),
      ours: spread,
      peers: z.partialRecord(peer, spread),
      ratio: z.partialRecord(peer, z.number()),
      target: z.partialRecord(z.enum(['ours', ...peer.options]), z.number()),
    }),
  ),
});

/** Opens the dialog and leaves only the products to be timed, once. */
async function openSmallest(page: Page): Promise<Locator> {
  await page.getByTestId('benchmark-link').click();
  const dialog = page.getByRole('dialog', { name: 'Benchmark this machine' });
  await dialog.getByRole('checkbox', { name: 'Matrix products' }).check();
  for (const box of await dialog.getByRole('checkbox').all()) {
    if ((await box.getAttribute('value')) !== 'gemm') await box.uncheck();
  }
  await dialog.getByRole('textbox', { name: 'Repeats' }).fill('1');
  return dialog;
}

const start = (dialog: Locator): Locator => dialog.getByTestId('benchmark-start');

async function copied(page: Page, dialog: Locator, what: 'JSON' | 'Markdown'): Promise<string> {
  await dialog.getByRole('button', { name: `Copy as ${what}` }).click();
  await expect(dialog.getByText(`Copied as ${what}.`)).toBeVisible();
  return page.evaluate(() => navigator.clipboard.readText());
}

test('a quick benchmark, cancelled and begun again, copied as JSON and as Markdown', async ({
  page,
  context,
  openPage,
  backend,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openPage();
  const dialog = await openSmallest(page);
  await dialog.getByRole('checkbox', { name: /Quick/ }).check();
  expect(await unreadableIn(dialog)).toEqual([]);
  await start(dialog).click();
  // With results or without: the first takes as long as a third of the whole.
  const begun = everyProof
    ? dialog.getByRole('row', { name: /gemm NN square/ })
    : dialog.getByRole('progressbar');
  await expect(begun).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(dialog.getByRole('alert')).toHaveText(/^Cancelled/);
  await expect(dialog.getByRole('button', { name: 'Copy as JSON' })).toBeHidden();

  await start(dialog).click();
  await expect(dialog.getByRole('button', { name: 'Copy as JSON' })).toBeVisible();
  await expect(dialog.getByRole('row')).toHaveCount(5);
  expect(await unreadableIn(dialog)).toEqual([]);

  const result = report.parse(JSON.parse(await copied(page, dialog, 'JSON')));
  expect(result.backend).toBe(backend);
  const products = result.results.filter(({ name }) => name.startsWith('gemm'));
  expect(products.map(({ name }) => name)).toEqual(['gemm NN square', 'gemm NT square', 'gemm TN square']);
  for (const { ours, peers, ratio } of products) {
    expect(ours).toMatchObject({ unit: 'GFLOP/s', min: ours.median, max: ours.median });
    for (const name of ['tfjs', 'jax-js'] as const) {
      expect(ratio[name]).toBeCloseTo(ours.median / (peers[name]?.median ?? Number.NaN), 6);
    }
  }
  const markdown = await copied(page, dialog, 'Markdown');
  expect(markdown).toContain('| gemm NN square | 512 x 512 x 512 |');

  await start(dialog).click();
  await expect(dialog.getByRole('progressbar')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel and close the benchmark' }).click();
  await expect(dialog).toBeHidden();
});

slowTest('no benchmark while a run goes on, and no run from within it', async ({ page, openPage }) => {
  // The button is what keeps them apart, and canStart, which the page's other buttons go by.
  await openPage({ problemsPerStep: 4, evalSamples: 2, numSteps: 100_000 });
  await page.getByTestId('train-button').click();
  await reachStep(page, 1);
  const dialog = await openSmallest(page);
  await expect(dialog.getByText('A run is going on')).toBeVisible();
  await expect(start(dialog)).toHaveAttribute('aria-disabled', 'true');
  // The page's shortcut would pause the run.
  await page.keyboard.press('Control+Enter');
  await dialog.getByRole('button', { name: 'Close the benchmark' }).click();
  await reachPhase(page, 'training');
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  await page.getByTestId('benchmark-link').click();
  await expect(start(dialog)).toHaveAttribute('aria-disabled', 'false');
});

slowTest('npm run lab -- bench prints a table and writes the same report', async ({ backend }, testInfo) => {
  // The page's benchmark runs the same suites, and the command line's words have tests in Node.
  const program = fileURLToPath(new URL('../cli/run.mjs', import.meta.url));
  const file = testInfo.outputPath('result.json');
  const words = [
    '--suite',
    'gemm',
    '--quick',
    '--repeats',
    '1',
    '--backend',
    backend ?? 'wasm',
    '--json',
    file,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'lab/lab', 'bench', ...words]);
  expect(stdout).toMatch(/gemm TN square {2}512 x 512 x 512\n {2}ours .* GFLOP\/s/);
  const { results } = report.parse(JSON.parse(await readFile(file, 'utf8')));
  expect(results).toHaveLength(4);
});
