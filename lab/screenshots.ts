/** `npm run lab -- screenshots`: the picture of the page in the README. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { onBuiltPage } from './builtPage.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram } from '../src/cli/program.ts';
import { repository } from '../src/cli/tools.ts';
import { defaultConfig } from '@rl-playground/run/settings';

const FOLDER = join(repository, 'docs/images');
const VIEWPORT = { width: 1280, height: 900 };
/** Milliseconds for a whole run on two cores. */
const PATIENCE = { timeout: 600_000 };
const TASK = 'reverse_digits';

/** Trains with the default settings to the end, and takes the page from its top to the end of the evaluation. */
async function takeRun(page: Page, url: string): Promise<void> {
  await page.goto(`${url}?backend=wasm&task=${TASK}`);
  await page.locator('[data-testid="status"][data-phase="idle"]').waitFor(PATIENCE);
  await page.getByTestId('train-button').click();
  await page.locator('[data-testid="status"][data-phase="finished"]').waitFor(PATIENCE);
  const { numSteps } = defaultConfig(TASK);
  await page.locator(`[data-testid="eval-after"][data-step="${numSteps}"]`).waitFor({ state: 'attached' });
  const evaluation = page.getByRole('region', { name: 'Evaluation' });
  // Charts are drawn once they come near the screen.
  await evaluation.scrollIntoViewIfNeeded();
  await page.evaluate(() => window.scrollTo(0, 0));
  const box = await evaluation.boundingBox();
  if (box === null) throw new Error('The page shows no evaluation.');
  const clip = { x: 0, y: 0, width: VIEWPORT.width, height: Math.ceil(box.y + box.height) + 14 };
  await page.screenshot({ path: join(FOLDER, 'page.png'), fullPage: true, clip, animations: 'disabled' });
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
