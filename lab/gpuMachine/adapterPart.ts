/** The part `adapter`: the card, the browser, the adapter and what its browser warns of. It finds what the other parts need to know. */
import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import type { Page } from 'playwright';
import { adapterFacts } from '@rl-playground/engine/parts';
import { launchBrowser } from '../builtPage.ts';
import { reportAdapter, type AdapterReport } from './adapterReport.ts';
import { installDawn } from './dawn.ts';
import type { Part, PartTask } from './budget.ts';
import type { Setup } from './setup.ts';

/** An address that counts as secure, which WebGPU needs. The page itself is empty, and nothing is asked of a server. */
const EMPTY_PAGE = 'http://localhost/';

/** Does the work on an empty page of a browser, which is closed afterwards, or when `signal` aborts. */
export async function onEmptyPage<T>(signal: AbortSignal, work: (page: Page) => Promise<T>): Promise<T> {
  const browser = await launchBrowser('webgpu');
  const close = () => void browser.close();
  signal.addEventListener('abort', close);
  try {
    const page = await browser.newPage();
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
    await page.goto(EMPTY_PAGE);
    return await work(page);
  } finally {
    signal.removeEventListener('abort', close);
    await browser.close();
  }
}

/** The name of NVIDIA’s card, its driver and its memory; null without its tool. */
function nvidiaCard(): string | null {
  const words = ['--query-gpu=name,driver_version,memory.total', '--format=csv,noheader'];
  const { status, stdout } = spawnSync('nvidia-smi', words, { encoding: 'utf8' });
  return status === 0 ? stdout.trim().replaceAll('\n', '; ') : null;
}

async function reportInPage({ signal, emit }: PartTask): Promise<AdapterReport | null> {
  return onEmptyPage(signal, async (page) => {
    page.on('console', (message) => {
      if (['warning', 'error'].includes(message.type())) emit({ name: 'console', note: message.text() });
    });
    emit({ name: 'browser', note: await page.evaluate(() => navigator.userAgent) });
    return page.evaluate(reportAdapter);
  });
}

async function reportInNode(): Promise<AdapterReport | null> {
  await installDawn();
  return reportAdapter();
}

export function adapterPart(setup: Setup): Part {
  const { browser, hasDawn } = setup.place;
  return {
    name: 'adapter',
    purpose: 'card, driver, features, limits, subgroup sizes, warnings',
    seconds: 30,
    hindrance: () => (browser === null && !hasDawn ? 'there is neither a Chromium nor npm’s webgpu.' : null),
    async run(task) {
      const card = nvidiaCard();
      if (card !== null) task.emit({ name: 'card', note: card });
      const processor = cpus()[0]?.model.trim() ?? process.arch;
      task.emit({
        name: 'processor',
        note: `${processor}, ${availableParallelism()} threads; Node ${process.versions.node}`,
      });
      const report = await (browser === null ? reportInNode() : reportInPage(task));
      if (report === null) throw new Error('The browser names no GPU adapter.');
      const { vendor, architecture, device, description, software } = adapterFacts(report.info);
      setup.adapter = { ...report, software };
      const named = [vendor, architecture, device, description].filter((word) => word !== '').join(' ');
      task.emit({
        name: 'adapter',
        note: `${named === '' ? 'without a name' : named}${software ? ' (software)' : ''}`,
        details: { ...report },
      });
      task.emit({ name: 'subgroups', note: report.subgroupSizes.join(', ') || 'none' });
    },
  };
}
