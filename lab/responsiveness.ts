/**
 * `npm run lab -- responsiveness`: measures how long the built page keeps a person waiting: from its address to Train, in tasks of its
 * thread beside a run, and from a click to the next paint. Exit codes: 0 every goal reached, 1 one missed or failed, 2 bad arguments.
 */
import { Option } from 'commander';
import { chromium, type Browser, type Page } from 'playwright';
import { median } from '@rl-playground/base/statistics';
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { ensureBrowser } from '../src/cli/ensureBrowser.ts';
import { launchArguments } from '../src/cli/browser.ts';
import { ensureBuilt } from '../src/cli/build.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { serve } from '../src/cli/serve.ts';
import { LongTasks } from './longTasks.ts';

const PARTS = ['opening', 'tasks', 'clicks'] as const;

interface Options {
  readonly parts: readonly (typeof PARTS)[number][];
  readonly backend: 'wasm' | 'webgpu';
  readonly repeats: number;
}

const LONG_RUN = { task: 'reverse_digits', numSteps: '500', evalSamples: '20', evalEvery: '0' };
const CLICKS = 40;

/** A visit whose cache is empty; `before` runs in the page ahead of its own scripts. */
type Visit = (settings: Readonly<Record<string, string>>, before?: () => void) => Promise<Page>;

const visitsTo =
  (browser: Browser, url: string, backend: Options['backend']): Visit =>
  async (settings, before) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' });
    page.setDefaultTimeout(0);
    if (before) await page.addInitScript(before);
    const words = new URLSearchParams({ backend, v: String(SETTINGS_VERSION), ...settings });
    await page.goto(`${url}?${words.toString()}`);
    return page;
  };

const stepIs = (wanted: number): boolean => (window.rlPlayground?.controller.snapshot().step ?? 0) >= wanted;

/** A long run that is running, with everything open that can be. */
async function longRun(visit: Visit): Promise<Page> {
  const page = await visit(LONG_RUN);
  // Every part is fetched and drawn first.
  await page.locator('html[data-parts="drawn"]').waitFor({ state: 'attached' });
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
  });
  await page.getByTestId('train-button').click();
  await page.waitForFunction(stepIs, 3);
  return page;
}

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

/** Measures the time from the page's address until its model is there and Train begins a run. */
async function opening(visit: Visit, { repeats }: Options) {
  const all: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const page = await visit({}, noteUsable);
    const usable = await page.waitForFunction(() => performance.getEntriesByName('usable')[0]?.startTime);
    all.push((await usable.jsonValue()) ?? NaN);
    await page.context().close();
  }
  return { found: median(all), all: all.map(Math.round) };
}

/** The longest task of the page's thread in twenty steps. */
async function tasks(visit: Visit) {
  const page = await longRun(visit);
  const watch = await LongTasks.watch(page);
  await page.waitForFunction(stepIs, 25);
  return { found: await watch.longest() };
}

/** Measures the time from a click to the next paint by the browser's own Event Timing: in steps of 8 ms, from 16 ms on. */
async function clicks(visit: Visit) {
  const page = await longRun(visit);
  await page.evaluate(() => {
    const durations: number[] = [];
    Object.assign(window, { clickDurations: durations });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'click') durations.push(entry.duration);
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
  const summaries = page.locator('summary:visible');
  const folds = await summaries.count();
  for (let i = 0; i < CLICKS; i++) {
    await summaries.nth(i % folds).click();
    // A person in a hurry clicks four times a second.
    await page.waitForTimeout(250);
  }
  const slow = await page.evaluate(() => Reflect.get(window, 'clickDurations') as number[]);
  slow.sort((a, b) => b - a);
  // Clicks that are not reported were quick.
  const exceededBy = (count: number): number => slow[count] ?? 16;
  return { found: exceededBy(CLICKS / 20), median: exceededBy(CLICKS / 2), longest: exceededBy(0) };
}

/** Milliseconds. */
const MEASURES = {
  opening: { name: 'until Train begins a run, median', measure: opening, most: 2500 },
  tasks: { name: 'the longest task', measure: tasks, most: 50 },
  clicks: { name: 'to the paint behind a click, p95', measure: clicks, most: 200 },
} as const;

const line = () =>
  command(
    'npm run lab -- responsiveness',
    'Measures how long the built page keeps a person waiting: until Train, beside a run, and behind a click.',
    '--parts opening --repeats 5',
  )
    .addOption(new Option('--parts <names...>', 'what to measure').choices(PARTS).default(PARTS))
    .addOption(new Option('--backend <name>', 'what computes').choices(['wasm', 'webgpu']).default('wasm'))
    .option('--repeats <number>', 'visits until Train', wholeNumber(1), 3);

export default simpleProgram<Options>(line, async (options) => {
  await ensureBuilt();
  const host = await serve({ port: 0 });
  const args = launchArguments(options.backend === 'webgpu' ? 'webgpu' : 'none');
  const browser = await chromium.launch({ ...ensureBrowser(), args });
  let missed = false;
  try {
    const visit = visitsTo(browser, host.url, options.backend);
    for (const part of options.parts) {
      const { name, measure, most } = MEASURES[part];
      const result = await measure(visit, options);
      for (const context of browser.contexts()) await context.close();
      missed ||= result.found > most;
      const verdict = result.found > most ? 'missed' : 'reached';
      printLine(`${part}: ${name}, at most ${most} ms: ${verdict}; ${JSON.stringify(result)}`);
    }
  } finally {
    await browser.close();
    await host.close();
  }
  return missed ? 1 : 0;
});
