/**
 * `npm run lab -- opening` measures how long the built page keeps a person waiting between its address and Train, with an empty cache. It
 * also says how much JavaScript `index.html` names. Exit codes: 0 the goal is reached, 1 it is missed, 2 bad arguments.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright';
import { median } from '@rl-playground/base/statistics';
import { printLine } from '@rl-playground/base/print';
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { onBuiltPage } from './builtPage.ts';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { repository } from '../src/cli/tools.ts';

/** Milliseconds. */
const MOST = 2500;

/** Runs in the page ahead of its own scripts: notes when a run can begin. */
function noteUsable(): void {
  const loading = '[data-phase="loading"], [data-testid="train-button"][aria-disabled="true"]';
  const watch = new MutationObserver(() => {
    if (!document.querySelector('[data-testid="train-button"]') || document.querySelector(loading)) return;
    performance.mark('usable');
    watch.disconnect();
  });
  watch.observe(document, { subtree: true, childList: true, attributes: true });
}

/** Milliseconds of one visit. */
async function visit(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' });
  await page.addInitScript(noteUsable);
  await page.goto(`${url}?backend=wasm&v=${SETTINGS_VERSION}`);
  const usable = await page.waitForFunction(() => performance.getEntriesByName('usable')[0]?.startTime);
  const milliseconds = (await usable.jsonValue()) ?? NaN;
  await page.context().close();
  return milliseconds;
}

/** Bytes of the scripts that the built `index.html` names. */
function namedScripts(): number {
  const folder = join(repository, 'dist');
  const names = readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/assets\/[^"']+\.js/g);
  return [...new Set([...names].map(([name]) => name))].reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  );
}

const line = () =>
  command(
    'npm run lab -- opening',
    'Measures how long the built page keeps a person waiting until a run can begin.',
    '--visits 5',
  ).option('--visits <n>', 'visits with an empty cache', wholeNumber(1), 3);

export default simpleProgram<{ readonly visits: number }>(line, ({ visits }) =>
  onBuiltPage('none', async (url, browser) => {
    const all: number[] = [];
    for (let i = 0; i < visits; i++) all.push(await visit(browser, url));
    const found = median(all);
    printLine(
      `Train begins a run after ${Math.round(found)} ms (${all.map(Math.round).join(', ')}); at most ${MOST}.`,
    );
    printLine(`index.html names ${Math.round(namedScripts() / 1000)} kB of JavaScript.`);
    return found <= MOST ? 0 : 1;
  }),
);
