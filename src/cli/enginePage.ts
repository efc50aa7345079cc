/** The built page in a headless browser, with its training engine up. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright';
import { findBrowser, launchArguments } from './browser.ts';
import { isInstalled } from './places.ts';
import { printProblem } from '@rl-playground/base/print';

/** The choices in the page's address; null leaves one to the page. */
export interface EngineChoice {
  readonly backend: 'webgpu' | 'wasm' | null;
  /** True if its GPU device has only what WebGPU promises everywhere. */
  readonly defaultLimits?: boolean;
}

/** Resolves with the page's line about backend and adapter. `before` runs in the page ahead of its own scripts. @throws Error with the page's own words when the engine can't start. */
export async function openEnginePage(
  url: string,
  { backend, defaultLimits = false }: EngineChoice,
  before?: () => void,
) {
  const browser = await launchBrowser();
  try {
    const page = await patientPage(browser);
    page.on('console', (message) => {
      if (message.type() === 'error') printProblem(`page: ${message.text()}`);
    });
    page.on('pageerror', (error) => printProblem(`page: ${error.stack ?? error.message}`));
    const query = new URLSearchParams({
      keep: 'off',
      ...(backend === null ? {} : { backend }),
      ...(defaultLimits ? { limits: 'default' } : {}),
    });
    if (before) await page.addInitScript(before);
    await page.goto(`${url}?${query}`);
    return { browser, page, line: await Promise.race([engineLine(page), crashOf(page)]) };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** Finds a browser, and installs Playwright's Chromium if there is none. @throws Error that says what to do if that fails too. */
export function ensureBrowser(): string {
  const found = findBrowser();
  if (found !== null) return found;
  const help =
    'Install Google Chrome, Chromium or Microsoft Edge, or set CHROME_PATH to the executable of one, and run the command again.';
  if (isInstalled) throw new Error(`There is no browser here. ${help}`);
  printProblem("No Chrome, Chromium or Edge was found: installing Playwright's Chromium.");
  const playwrightCli = join(
    dirname(createRequire(import.meta.url).resolve('playwright/package.json')),
    'cli.js',
  );
  spawnSync(process.execPath, [playwrightCli, 'install', '--no-shell', 'chromium'], { stdio: [0, 2, 2] });
  const added = findBrowser();
  if (added !== null) return added;
  throw new Error(
    `There is no browser here, and installing Playwright's Chromium failed (see above). ${help}`,
  );
}

/** A signal ends the program's work, which then closes the browser. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: ensureBrowser(),
    args: launchArguments('webgpu'),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/** A page that is waited for as long as it takes: a failure in it is reported, or crashes it. */
export async function patientPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  return page;
}

async function engineLine(page: Page): Promise<string> {
  const outcome = await page.waitForFunction(() => {
    const backend = window.rlPlayground?.controller.snapshot().backend;
    if (backend) return { ready: true, text: backend.line };
    const notice = document.querySelector('[data-testid="notices"] [data-kind="error"]');
    return notice === null ? false : { ready: false, text: notice.textContent ?? '' };
  });
  const value = await outcome.jsonValue();
  if (value === false) throw new Error('The page did not answer.');
  if (!value.ready) throw new Error(value.text);
  return value.text;
}

/** Rejects when the page crashes. */
export function crashOf(page: Page): Promise<never> {
  return new Promise((_, reject) => {
    page.once('crash', () => reject(new Error('The page crashed, most likely for want of memory.')));
  });
}

/** The functions of the page for programs. */
export const ownOf = (page: Page) =>
  page.evaluateHandle(() => {
    if (window.rlPlayground === undefined) throw new Error('The page was reloaded.');
    return window.rlPlayground;
  });

/** A zip, or the files of a folder. */
function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile());
}

/**
 * Chooses files of this machine in the page, as a person does: a zip, the files of a folder, or, with `whole`, all files below a folder,
 * which are named by their paths in it. A path that is null chooses none. The page reads them from the disk; of what a page fetches, a
 * browser under automation keeps copies.
 */
export async function choose(page: Page, path: string | null, whole = false) {
  const input = await page.evaluateHandle(
    (webkitdirectory) =>
      Object.assign(document.createElement('input'), { type: 'file', multiple: true, webkitdirectory }),
    whole,
  );
  if (path !== null) await input.setInputFiles(whole ? path : filesAt(path));
  return input;
}
