/** `npm run lab -- screenshots`: pictures of the page for the docs. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright';
import { defaultConfig } from '../src/config/presets.ts';
import { SETTINGS_VERSION } from '../src/config/settingsVersion.ts';
import type { RunPhase } from '../src/run/types.ts';
import { ensureBrowser } from '../src/cli/ensureBrowser.ts';
import { launchArguments } from '../src/cli/browser.ts';
import { ensureBuilt } from '../src/cli/build.ts';
import { printLine } from '../src/cli/print.ts';
import { command, simpleProgram } from '../src/cli/program.ts';
import { serve } from '../src/cli/serve.ts';
import { repository } from '../src/cli/tools.ts';

const folder = join(repository, 'docs/images');
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
/** Milliseconds for a whole run on two cores. */
const PATIENCE = { timeout: 600_000 };

/** Goes down the page and back: charts are drawn once they come near the screen. */
async function lookDown(page: Page, bottom: number): Promise<void> {
  await page.evaluate(async (end) => {
    const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let top = window.innerHeight; top < end; top += window.innerHeight) {
      window.scrollTo(0, top);
      for (let i = 0; i < 10; i++) await frame();
    }
    window.scrollTo(0, 0);
    await frame();
  }, bottom);
}

/** From the top of the page down to `bottom` pixels, or its end. */
async function take(page: Page, name: string, bottom = 1400): Promise<void> {
  const path = join(folder, `${name}.png`);
  await lookDown(page, bottom);
  const { width, height } = await page.evaluate(() => ({
    width: window.innerWidth,
    height: document.documentElement.scrollHeight,
  }));
  const clip = { x: 0, y: 0, width, height: Math.min(bottom, height) };
  await page.screenshot({ path, fullPage: true, clip, animations: 'disabled' });
  printLine(`${name}.png ${Math.round(statSync(path).size / 1024)} kB`);
}

function reach(page: Page, phase: RunPhase): Promise<void> {
  return page.locator(`[data-testid="status"][data-phase="${phase}"]`).waitFor(PATIENCE);
}

async function reachStep(page: Page, step: number): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      Number(document.querySelector<HTMLElement>('[data-testid="status"]')?.dataset['step']) >= wanted,
    step,
    PATIENCE,
  );
}

/** Shows the page in one of its states, in a tab of its own. */
class Studio {
  readonly #browser: Browser;
  readonly #url: string;

  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  async open(settings: Readonly<Record<string, string>>, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: DESKTOP, colorScheme: 'light', ...options });
    const page = await context.newPage();
    await page.goto(
      `${this.#url}?${new URLSearchParams({ backend: 'wasm', v: String(SETTINGS_VERSION), ...settings }).toString()}`,
    );
    return page;
  }

  async ready(
    settings: Readonly<Record<string, string>>,
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    const page = await this.open(settings, options);
    await reach(page, 'idle');
    return page;
  }
}

/** On a slow line: some seconds for the weights. */
async function loading(studio: Studio): Promise<void> {
  const page = await studio.ready({});
  const network = await page.context().newCDPSession(page);
  const limit = (bytesPerSecond: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: -1,
    });
  await page.route('**/model.safetensors', async (route) => {
    await limit(100_000);
    await route.continue();
  });
  await page.reload();
  await page.getByText(/model\.safetensors/).waitFor();
  await take(page, 'loading');
  await limit(-1);
  await reach(page, 'idle');
  await take(page, 'idle');
  await page.close();
}

async function evaluating(studio: Studio): Promise<void> {
  const page = await studio.ready({ evalSamples: '4000' });
  await page.getByTestId('train-button').click();
  await page.getByText(/Evaluating .*\([1-9]\d?%\)/).waitFor(PATIENCE);
  await take(page, 'evaluating');
  await page.close();
}

/** One run of the default settings, from its first step to its end. */
async function run(studio: Studio): Promise<void> {
  const page = await studio.ready({ task: 'reverse_digits' });
  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  await reach(page, 'paused');
  await take(page, 'first-step');
  await page.getByTestId('train-button').click();
  await reachStep(page, 30);
  await take(page, 'training');
  await page.getByTestId('pause-button').click();
  await reach(page, 'paused');
  await take(page, 'paused');
  await page
    .getByTestId('load-input')
    .setInputFiles({ name: 'holiday.zip', mimeType: 'application/zip', buffer: Buffer.from('sun and sea') });
  await page.getByRole('alert').waitFor();
  await take(page, 'error');
  await page.getByRole('alert').getByRole('button').click();
  await page.getByTestId('train-button').click();
  await reach(page, 'finished');
  const { numSteps } = defaultConfig('reverse_digits');
  await page.locator(`[data-testid="eval-after"][data-step="${numSteps}"]`).waitFor({ state: 'attached' });
  const evaluation = await page.getByRole('region', { name: 'Evaluation' }).boundingBox();
  if (evaluation === null) throw new Error('The page shows no evaluation.');
  await take(page, 'page', Math.ceil(evaluation.y + evaluation.height) + 14);
  await take(page, 'finished');
  await page.emulateMedia({ colorScheme: 'dark' });
  await take(page, 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await take(page, 'phone', 2000);
  await page.close();
}

async function collapse(studio: Studio): Promise<void> {
  const page = await studio.ready({ task: 'reverse_digits', learningRate: '0.01' });
  await page.getByTestId('train-button').click();
  await page.locator('[data-kind="collapse"]').waitFor(PATIENCE);
  await page.getByTestId('pause-button').click();
  await reach(page, 'paused');
  await take(page, 'collapse');
  await page.close();
}

const line = () =>
  command(
    'npm run lab -- screenshots',
    'Photographs the page in every state, in real runs on the CPU, into docs/images. Takes some three minutes.',
    '',
  );

export default simpleProgram(line, async () => {
  mkdirSync(folder, { recursive: true });
  const { executablePath } = ensureBrowser();
  await ensureBuilt();
  const host = await serve({ port: 0 });
  const browser = await chromium.launch({ executablePath, args: launchArguments('none') });
  try {
    const studio = new Studio(browser, host.url);
    for (const scene of [loading, evaluating, run, collapse]) await scene(studio);
  } finally {
    await browser.close();
    await host.close();
  }
});
