/** Finds a browser, or installs Playwright's own if there is none. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findBrowser, type FoundBrowser } from './browser.ts';
import { isInstalled } from './places.ts';
import { printLine } from '@rl-playground/base/print';

/**
 * Finds a browser as `findBrowser` does, and installs Playwright's Chromium if there is none.
 *
 * @throws Error that says what to do if that fails too.
 */
export function ensureBrowser(): FoundBrowser {
  const found = findBrowser();
  if (found !== null) return found;
  const help =
    'Install Google Chrome, Chromium or Microsoft Edge, or set CHROME_PATH to the executable of one, and run the command again.';
  if (isInstalled) throw new Error(`There is no browser here. ${help}`);
  printLine("No Chrome, Chromium or Edge was found: installing Playwright's Chromium.");
  const playwrightCli = join(
    dirname(createRequire(import.meta.url).resolve('playwright/package.json')),
    'cli.js',
  );
  spawnSync(process.execPath, [playwrightCli, 'install', '--no-shell', 'chromium'], { stdio: 'inherit' });
  const added = findBrowser();
  if (added !== null) return added;
  throw new Error(
    `There is no browser here, and installing Playwright's Chromium failed (see above). ${help}`,
  );
}
