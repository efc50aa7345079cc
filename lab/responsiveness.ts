/**
 * `npm run lab -- responsiveness`: how the built page feels while it trains. What opening every fold costs a run, tasks of the page's
 * thread, time from a click to the next paint, and what a long run with its answers on screen leaves on the heap. Exit codes: 0 every
 * goal reached, 1 one missed or failed, 2 bad arguments.
 */
import { writeFileSync } from 'node:fs';
import { Option } from 'commander';
import { chromium, type Browser, type Page } from 'playwright';
import { median } from '@rl-playground/base/statistics';
import { SETTINGS_VERSION } from '../src/config/settingsVersion.ts';
import type { RunPhase } from '../src/run/types.ts';
import { ensureBrowser } from '../cli/ensureBrowser.ts';
import { launchArguments } from '../cli/browser.ts';
import { ensureBuilt } from '../cli/build.ts';
import { markRun, tasksOf, TRACE_CATEGORIES } from './pageTasks.ts';
import { printLine } from '../cli/print.ts';
import { command, simpleProgram, wholeNumber } from '../cli/program.ts';
import { serve } from '../cli/serve.ts';

const PARTS = ['folds', 'tasks', 'clicks', 'heap'] as const;
type Part = (typeof PARTS)[number];

interface Options {
  readonly parts: readonly Part[];
  readonly backend: 'wasm' | 'webgpu';
  readonly repeats: number;
  readonly steps: number;
  readonly json?: string;
}

const VIEWPORT = { width: 1440, height: 900 };
/** Milliseconds for a whole run. */
const PATIENCE = { timeout: 3_600_000 };
/** Of a run whose time is taken. */
const TIMED = { task: 'reverse_digits', numSteps: '60', evalSamples: '20', evalEvery: '0' };
/** Steps that take next to nothing, so that many can be made. */
const TINY = {
  task: 'reverse_digits',
  problemsPerStep: '2',
  rolloutsPerProblem: '2',
  maxTokens: '16',
  evalSamples: '4',
  evalEvery: '0',
};
const CLICKS = 40;
/** Milliseconds between two clicks, as of somebody in a hurry. */
const BETWEEN = 250;
/** Steps after which every chart and list has been drawn, so what comes on top is growth. */
const SETTLED = 100;

const reach = (page: Page, phase: RunPhase): Promise<void> =>
  page.locator(`[data-testid="status"][data-phase="${phase}"]`).waitFor(PATIENCE);

const reachStep = async (page: Page, step: number): Promise<void> => {
  await page.waitForFunction(
    (wanted) => (window.rlPlayground?.controller.snapshot().step ?? 0) >= wanted,
    step,
    PATIENCE,
  );
};

class Visits {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #backend: Options['backend'];

  constructor(browser: Browser, url: string, backend: Options['backend']) {
    this.#browser = browser;
    this.#url = url;
    this.#backend = backend;
  }

  async with<T>(
    settings: Readonly<Record<string, string>>,
    look: (page: Page, browser: Browser) => Promise<T>,
  ): Promise<T> {
    const context = await this.#browser.newContext({ viewport: VIEWPORT, serviceWorkers: 'block' });
    try {
      const page = await context.newPage();
      const words = { backend: this.#backend, v: String(SETTINGS_VERSION), ...settings };
      await page.goto(`${this.#url}?${new URLSearchParams(words).toString()}`);
      await reach(page, 'idle');
      // The part that a page draws last.
      await page.getByRole('region', { name: 'For a class' }).waitFor({ state: 'attached' });
      return await look(page, this.#browser);
    } finally {
      await context.close();
    }
  }
}

/** Opens what can be opened, and what appears in it, without what would leave the page's first view to a dialog. How many are open then. */
async function openFolds(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const closed = () => document.querySelectorAll<HTMLDetailsElement>('details:not([open])');
    while (closed().length > 0) {
      for (const fold of closed()) fold.open = true;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
    return document.querySelectorAll('details[open]').length;
  });
}

/** Seconds from Train to the end. */
async function timeRun(page: Page): Promise<number> {
  const began = performance.now();
  await page.getByTestId('train-button').click();
  await reach(page, 'finished');
  return (performance.now() - began) / 1000;
}

/** The two in turns, so that neither has the quieter machine. */
async function folds(visits: Visits, { repeats }: Options) {
  const [shut, open]: [number[], number[]] = [[], []];
  let opened = 0;
  for (let i = 0; i < repeats; i++) {
    shut.push(await visits.with(TIMED, timeRun));
    open.push(
      await visits.with(TIMED, async (page) => {
        opened = await openFolds(page);
        return timeRun(page);
      }),
    );
  }
  const longer = median(open) / median(shut) - 1;
  return { opened, secondsShut: shut, secondsOpen: open, longer };
}

async function tasks(visits: Visits) {
  return visits.with({ ...TIMED, numSteps: '500' }, async (page, browser) => {
    await openFolds(page);
    await markRun(page);
    await page.getByTestId('train-button').click();
    await reachStep(page, 5);
    await browser.startTracing(page, { categories: TRACE_CATEGORIES });
    await reachStep(page, 25);
    const all = tasksOf(await browser.stopTracing());
    const slowest = all.toSorted((a, b) => b.processor - a.processor).slice(0, 5);
    return {
      tasks: all.length,
      over50ms: all.filter(({ processor }) => processor > 50).length,
      over50msOnTheClock: all.filter(({ clock }) => clock > 50).length,
      slowest,
    };
  });
}

/** From a click to the next paint, as the browser's own Event Timing has it, in steps of 8 ms; what is quicker than 16 ms counts as 16. */
async function clicks(visits: Visits) {
  return visits.with({ ...TIMED, numSteps: '500' }, async (page) => {
    await page.getByTestId('train-button').click();
    await reachStep(page, 3);
    await page.evaluate(() => {
      const durations: number[] = [];
      Object.assign(window, { clickDurations: durations });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (entry.name === 'click') durations.push(entry.duration);
      }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
    });
    const summaries = page.locator('summary:visible');
    const count = await summaries.count();
    for (let i = 0; i < CLICKS; i++) {
      await summaries.nth(i % count).click();
      await page.waitForTimeout(BETWEEN);
    }
    const slow = await page.evaluate(
      () => (window as unknown as { clickDurations: readonly number[] }).clickDurations,
    );
    const quick = Array.from({ length: Math.max(0, CLICKS - slow.length) }, () => 16);
    const sorted = [...slow, ...quick].toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
    return { clicks: CLICKS, folds: count, median: at(0.5), p95: at(0.95), longest: at(1) };
  });
}

/** Bytes of the page's heap after a collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/** With the token inspector on the screen, where it follows the run. */
async function heap(visits: Visits, { steps }: Options) {
  return visits.with({ ...TINY, numSteps: String(steps) }, async (page) => {
    await openFolds(page);
    await page.getByTestId('train-button').click();
    await reachStep(page, SETTLED);
    await openFolds(page);
    await page.getByTestId('inspector-tokens').scrollIntoViewIfNeeded();
    const before = await heapOf(page);
    await reach(page, 'finished');
    const after = await heapOf(page);
    return {
      steps,
      megabytesBefore: before / 1e6,
      megabytesAfter: after / 1e6,
      growth: (after - before) / 1e6,
    };
  });
}

/** What of a result its goal is about, and the most that it may be. */
interface Goal<Result> {
  readonly name: string;
  readonly of: (result: Result) => number;
  readonly most: number;
}

const measure = <Result>(
  make: (visits: Visits, options: Options) => Promise<Result>,
  { name, of, most }: Goal<Result>,
) => {
  return async (visits: Visits, options: Options) => {
    const result = await make(visits, options);
    const found = of(result);
    const reached = found <= most;
    return {
      result,
      reached,
      verdict: `${name} ${found.toPrecision(3)} of at most ${most}: ${reached ? 'reached' : 'missed'}`,
    };
  };
};

const MEASURE = {
  folds: measure(folds, { name: 'share of time that open folds add', of: ({ longer }) => longer, most: 0.1 }),
  tasks: measure(tasks, { name: 'tasks over 50 ms', of: ({ over50ms }) => over50ms, most: 0 }),
  clicks: measure(clicks, {
    name: 'milliseconds to the paint behind a click, p95',
    of: ({ p95 }) => p95,
    most: 200,
  }),
  heap: measure(heap, { name: 'megabytes that the heap grows', of: ({ growth }) => growth, most: 50 }),
} as const;

const line = () =>
  command(
    'npm run lab -- responsiveness',
    'Measures how the built page feels while it trains: what open folds cost, tasks of its thread, clicks, and the heap.',
    '--parts tasks clicks',
  )
    .addOption(new Option('--parts <names...>', 'what to measure').choices(PARTS).default(PARTS))
    .addOption(new Option('--backend <name>', 'what computes').choices(['wasm', 'webgpu']).default('wasm'))
    .option('--repeats <number>', 'runs with folds shut, and as many with folds open', wholeNumber(1), 3)
    .option('--steps <number>', 'of the long run for the heap', wholeNumber(SETTLED + 1), 2000)
    .option('--json <file>', 'where results go, too');

export default simpleProgram<Options>(line, async (options) => {
  await ensureBuilt();
  const { executablePath } = ensureBrowser();
  const host = await serve({ port: 0 });
  const graphics = options.backend === 'webgpu' ? 'webgpu' : 'none';
  const browser = await chromium.launch({ executablePath, args: launchArguments(graphics) });
  const results: Record<string, unknown> = {};
  let missed = false;
  try {
    const visits = new Visits(browser, host.url, options.backend);
    for (const part of options.parts) {
      const { result, reached, verdict } = await MEASURE[part](visits, options);
      results[part] = result;
      missed ||= !reached;
      printLine(`${part}: ${JSON.stringify(result)}\n  ${verdict}`);
    }
  } finally {
    await browser.close();
    await host.close();
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  return missed ? 1 : 0;
});
