/** The built page in a headless browser, running the benchmark. */
import { chromium, type Browser } from 'playwright';
import type { Outside, OutsideRequest } from '../src/bench/participants/outside.ts';
import type { Row } from '../src/bench/measure.ts';
import type { BenchOptions, BenchOutcome, BenchProgress } from '../src/bench/run.ts';
import type { PythonPeer } from '../src/bench/types.ts';
import { ensureBrowser } from '../cli/ensureBrowser.ts';
import { launchArguments } from '../cli/browser.ts';
import { crashOf, patientPage } from '../cli/enginePage.ts';
import { printProblem } from '../cli/print.ts';
import type { PythonPeers } from './pythonPeers.ts';

export interface BenchListener {
  readonly onProgress: (progress: BenchProgress) => void;
  readonly onRow: (row: Row) => void;
}

/** The names under which the page finds functions of this program: they take news, ask a peer outside the page, and count CPU seconds. */
const NAMES = {
  report: 'rlPlaygroundBenchReport',
  ask: 'rlPlaygroundBenchAsk',
  cpu: 'rlPlaygroundBenchCpu',
} as const;

type News = { readonly progress: BenchProgress } | { readonly row: Row };

/** Runs in the page. A failure comes back as its words: thrown, it would carry the page's stack along. */
async function benchInPage({
  options,
  names,
  peers,
}: {
  options: BenchOptions;
  names: typeof NAMES;
  peers: readonly PythonPeer[];
}): Promise<BenchOutcome | { readonly failure: string }> {
  const page = window.rlPlayground;
  if (page === undefined) throw new Error('The page was reloaded.');
  const call = (name: string, ...words: unknown[]): unknown =>
    Reflect.apply(Reflect.get(window, name) as (...all: unknown[]) => unknown, window, words);
  const tell = (news: News): void => void call(names.report, news);
  const { runInPage } = await page.benchmark();
  const outside: Outside = {
    peers,
    ask: (peer, request) => call(names.ask, peer, request) as ReturnType<Outside['ask']>,
    cpuSeconds: () => call(names.cpu) as Promise<number>,
  };
  try {
    return await runInPage(
      options,
      { onProgress: (progress) => tell({ progress }), onRow: (row) => tell({ row }) },
      new AbortController().signal,
      outside,
    );
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** CPU seconds of all of the browser's processes so far. */
async function cpuCounter(browser: Browser): Promise<() => Promise<number>> {
  const session = await browser.newBrowserCDPSession();
  return async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
}

/**
 * Opens the page at `url` and runs the benchmark in it, beside peers outside of it where there are any.
 *
 * @throws Error with the page's own words when the benchmark can't run.
 */
export async function benchInBrowser(
  url: string,
  options: BenchOptions,
  { onProgress, onRow }: BenchListener,
  peers: PythonPeers | null,
): Promise<BenchOutcome> {
  const { executablePath } = ensureBrowser();
  const browser = await chromium.launch({ executablePath, args: launchArguments('webgpu') });
  try {
    const page = await patientPage(browser);
    page.on('pageerror', (error) => printProblem(`page: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') printProblem(`page: ${message.text()}`);
    });
    await page.exposeFunction(NAMES.report, (news: News) => {
      if ('row' in news) onRow(news.row);
      else onProgress(news.progress);
    });
    await page.exposeFunction(NAMES.ask, (peer: PythonPeer, request: OutsideRequest) =>
      peers?.ask(peer, request),
    );
    await page.exposeFunction(NAMES.cpu, await cpuCounter(browser));
    await page.goto(url);
    await Promise.race([page.waitForFunction(() => window.rlPlayground !== undefined), crashOf(page)]);
    const outcome = await Promise.race([
      page.evaluate(benchInPage, { options, names: NAMES, peers: peers?.peers ?? [] }),
      crashOf(page),
    ]);
    if ('failure' in outcome) throw new Error(outcome.failure);
    return outcome;
  } finally {
    await browser.close();
  }
}
