/** The benchmark's page, built and opened in a headless browser. */
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright';
import { ensureBrowser } from '../../src/cli/ensureBrowser.ts';
import { launchArguments } from '../../src/cli/browser.ts';
import { crashOf, patientPage } from '../../src/cli/enginePage.ts';
import { printProblem } from '@rl-playground/base/print';
import { repository, runTool } from '../../src/cli/tools.ts';
import type { Outside, OutsideRequest } from './participants/outside.ts';
import type { BenchNews } from './page.ts';
import type { PythonPeers } from './pythonPeers.ts';
import type { BenchEvents, BenchOptions, BenchOutcome } from './run.ts';
import type { PythonPeer } from './types.ts';

/** The folder of the built page. */
export const BENCH_PAGE = join(repository, 'node_modules/.cache/rl-playground/bench');

/** @throws Error if the build fails; Vite has printed the reason by then. */
export async function buildBenchPage(): Promise<void> {
  const config = ['--config', 'lab/bench/vite.config.ts', '--logLevel', 'error'];
  const words = ['build', ...config, '--outDir', BENCH_PAGE, '--emptyOutDir'];
  if ((await runTool('vite', words, { NODE_ENV: 'production' })) !== 0)
    throw new Error('The page of the benchmark could not be built; the messages above say why.');
}

/** CPU seconds of all of the browser's processes so far. */
async function cpuCounter(browser: Browser): Promise<Outside['cpuSeconds']> {
  const session = await browser.newBrowserCDPSession();
  return async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
}

/**
 * Opens the page at `url` and runs the benchmark in it, beside peers outside of it if there are any.
 *
 * @throws Error with the page's own words if the benchmark can't run.
 */
export async function benchInBrowser(
  url: string,
  options: BenchOptions,
  { onProgress, onRow }: BenchEvents,
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
    await page.exposeFunction('reportBench', (news: BenchNews) => {
      if ('row' in news) onRow(news.row);
      else onProgress(news.progress);
    });
    await page.exposeFunction('askBenchPeer', (peer: PythonPeer, request: OutsideRequest) =>
      peers?.ask(peer, request),
    );
    await page.exposeFunction('benchCpuSeconds', await cpuCounter(browser));
    await page.goto(url);
    const outcome = await Promise.race([
      page.evaluate(([given, outside]) => window.runBench(given, outside), [
        options,
        peers?.peers ?? [],
      ] as const),
      crashOf(page),
    ]);
    if ('failure' in outcome) throw new Error(outcome.failure);
    return outcome;
  } finally {
    await browser.close();
  }
}
