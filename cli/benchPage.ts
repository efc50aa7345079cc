/** The built page in a headless browser, running the benchmark. */
import { chromium } from 'playwright';
import type { Page } from 'playwright';
import type { Row } from '../src/bench/measure.ts';
import type { BenchOptions, BenchOutcome, BenchProgress } from '../src/bench/run.ts';
import { ensureBrowser, launchArguments } from './browser.ts';

export interface BenchListener {
  readonly onProgress: (progress: BenchProgress) => void;
  readonly onRow: (row: Row) => void;
}

/** The name under which the page finds the function that takes news. */
const REPORT = 'rlPlaygroundBenchReport';

type News = { readonly progress: BenchProgress } | { readonly row: Row };

/** Runs in the page. A failure comes back as its words: thrown, it would carry the page's stack along. */
async function benchInPage({
  options,
  report,
}: {
  options: BenchOptions;
  report: string;
}): Promise<BenchOutcome | { readonly failure: string }> {
  const page = window.rlPlayground;
  const send: unknown = Reflect.get(window, report);
  if (page === undefined || typeof send !== 'function') throw new Error('The page was reloaded.');
  const tell = (news: News): void => void Reflect.apply(send, window, [news]);
  const { runInPage } = await page.benchmark();
  try {
    return await runInPage(
      options,
      { onProgress: (progress) => tell({ progress }), onRow: (row) => tell({ row }) },
      new AbortController().signal,
    );
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

function crash(page: Page): Promise<never> {
  return new Promise((_, reject) => {
    page.once('crash', () => reject(new Error('The page crashed, most likely for want of memory.')));
  });
}

/**
 * Opens the page at `url` and runs the benchmark in it.
 *
 * @throws Error with the page's own words when the benchmark can't run.
 */
export async function benchInBrowser(
  url: string,
  options: BenchOptions,
  { onProgress, onRow }: BenchListener,
): Promise<BenchOutcome> {
  const { executablePath } = ensureBrowser();
  const browser = await chromium.launch({ executablePath, args: launchArguments('webgpu') });
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => console.error(`page: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') console.error(`page: ${message.text()}`);
    });
    await page.exposeFunction(REPORT, (news: News) => {
      if ('row' in news) onRow(news.row);
      else onProgress(news.progress);
    });
    await page.goto(url);
    await page.waitForFunction(() => window.rlPlayground !== undefined, undefined, { timeout: 120_000 });
    const outcome = await Promise.race([
      page.evaluate(benchInPage, { options, report: REPORT }),
      crash(page),
    ]);
    if ('failure' in outcome) throw new Error(outcome.failure);
    return outcome;
  } finally {
    await browser.close();
  }
}
