/** The benchmark's page, opened in a headless browser. */
import { availableParallelism } from 'node:os';
import type { Browser } from 'playwright';
import { crashOf, patientPage } from '../../src/cli/enginePage.ts';
import { printProblem } from '@rl-playground/base/print';
import { launchBrowser } from '../builtPage.ts';
import type { PythonPeers } from './pythonPeers.ts';
import { runBenchmark, type BenchHost, type BenchListener, type BenchOptions } from './run.ts';
import { chosenPeers } from './peerChoice.ts';
import { isPythonPeer, type BenchReport, type Environment, type ParticipantName } from './types.ts';

/** CPU seconds of all of the browser's processes so far. */
async function cpuCounter(browser: Browser): Promise<() => Promise<number>> {
  const session = await browser.newBrowserCDPSession();
  return async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
}

/** Opens the page at `url` and measures its participants, beside peers outside of it if there are any. */
export async function benchInBrowser(
  url: string,
  options: BenchOptions,
  peers: PythonPeers | null,
  listener: BenchListener,
): Promise<BenchReport> {
  const browser = await launchBrowser('webgpu');
  try {
    const page = await patientPage(browser);
    page.on('pageerror', (error) => printProblem(`page: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') printProblem(`page: ${message.text()}`);
    });
    const crash = crashOf(page);
    crash.catch(() => undefined);
    await page.goto(url);
    const adapter = await page.evaluate(() => window.adapterKind());
    const environment: Environment = {
      backend: options.backend ?? (adapter === null ? 'wasm' : 'webgpu'),
      hardware: adapter === 'hardware',
      wasmPath: new URL('wasm/', url).href,
      onnxPath: new URL('onnxruntime/', url).href,
      threads: availableParallelism(),
    };
    const chosen = chosenPeers({ without: options.without, python: peers !== null }, environment);
    const host: BenchHost = {
      environment,
      available: new Set<ParticipantName>(['ours', ...chosen]),
      async ask(name, request) {
        if (isPythonPeer(name)) return peers?.ask(name, request) ?? null;
        const asked = page.evaluate(([participant, what]) => window.askParticipant(participant, what), [
          name,
          request,
        ] as const);
        const reply = await Promise.race([asked, crash]);
        if ('error' in reply) throw new Error(reply.error);
        return reply.answer;
      },
      cpuSeconds: await cpuCounter(browser),
    };
    return await runBenchmark(options, host, listener);
  } finally {
    await browser.close();
  }
}
