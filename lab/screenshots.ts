/** `npm run lab -- screenshots`: the picture of the page in the README. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { onBuiltPage } from './builtPage.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram } from '../src/cli/program.ts';
import { repository } from '../src/cli/tools.ts';

const FOLDER = join(repository, 'docs/images');
const VIEWPORT = { width: 1280, height: 800 };
/** Milliseconds for a whole run on two cores. */
const PATIENCE = { timeout: 600_000 };
const TASK = 'reverse_digits';

/** Trains with the default settings to the end, and takes Train with the result of the run. */
async function takeRun(page: Page, url: string): Promise<void> {
  await page.goto(`${url}?backend=wasm&task=${TASK}`);
  await page.locator('[data-testid="status"][data-phase="idle"]').waitFor(PATIENCE);
  await page.getByTestId('train-button').click();
  await page.locator('[data-testid="status"][data-phase="finished"]').waitFor(PATIENCE);
  await page.getByTestId('end-card').waitFor(PATIENCE);
  await page.screenshot({ path: join(FOLDER, 'page.png'), animations: 'disabled' });
}

const line = () =>
  command(
    'npm run lab -- screenshots',
    'Makes a whole run on the CPU and photographs the page at its end, into docs/images/page.png. It takes about a minute.',
    '',
  );

export default simpleProgram(line, () =>
  onBuiltPage('none', async (url, browser) => {
    mkdirSync(FOLDER, { recursive: true });
    await takeRun(await browser.newPage({ viewport: VIEWPORT, colorScheme: 'light' }), url);
    printLine('docs/images/page.png');
  }),
);
