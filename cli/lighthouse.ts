/**
 * `npm run lighthouse`: Google's Lighthouse on the built page, as on a desktop and on a phone: scores, what they are made of, and what
 * misses points. Nothing is downloaded or sent anywhere. Exit codes: 0 done, 1 failed, 2 bad arguments.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { loadavg } from 'node:os';
import { Option } from 'commander';
import { chromium } from 'playwright';
import lighthouse, { desktopConfig, type Result } from 'lighthouse';
import { ensureBrowser, launchArguments } from './browser.ts';
import { ensureBuilt } from './build.ts';
import { command, simpleProgram, wholeNumber } from './program.ts';
import { serve } from './serve.ts';

const DEVICES = ['desktop', 'mobile'] as const;
type Device = (typeof DEVICES)[number];
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
/** What the score of performance is made of. */
const METRICS = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocked',
  'cumulative-layout-shift': 'layout shift',
  'speed-index': 'speed index',
} as const;

interface Options {
  readonly devices: readonly Device[];
  readonly repeats: number;
  readonly json?: string;
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

/** In a browser of its own, whose cache is empty. */
async function audit(url: string, device: Device): Promise<Result> {
  const port = await freePort();
  const { executablePath } = ensureBrowser();
  const args = [...launchArguments('none'), `--remote-debugging-port=${port}`];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const flags = { port, onlyCategories: [...CATEGORIES], logLevel: 'error' as const };
    const found = await lighthouse(url, flags, device === 'desktop' ? desktopConfig : undefined);
    if (!found) throw new Error('Lighthouse gave no result.');
    if (found.lhr.runtimeError) throw new Error(found.lhr.runtimeError.message);
    return found.lhr;
  } finally {
    await browser.close();
  }
}

const scoreOf = ({ categories }: Result, category: string): number =>
  Math.round(100 * (categories[category]?.score ?? 0));

/** Audits that miss points of a category, with the elements that they name. */
function misses({ categories, audits }: Result, category: string): string[] {
  return (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
    const found = audits[id];
    if (found?.score === undefined || found.score === null || found.score >= 1 || weight === 0) return [];
    const items = found.details?.type === 'table' ? found.details.items : [];
    const where = items.map((item) => JSON.stringify(item).slice(0, 200)).slice(0, 4);
    return [`${found.title} (${found.displayValue ?? 'missed'})`, ...where.map((each) => `    ${each}`)];
  });
}

/** The run whose performance lies in the middle. */
const middle = (runs: readonly Result[]): Result =>
  runs.toSorted((a, b) => scoreOf(a, 'performance') - scoreOf(b, 'performance'))[
    Math.floor((runs.length - 1) / 2)
  ] as Result;

const line = () =>
  command(
    'npm run lighthouse --',
    'Runs Lighthouse on the built page, as on a desktop and on a phone.',
    '--devices mobile --repeats 3',
  )
    .addOption(new Option('--devices <names...>', 'as which device').choices(DEVICES).default(DEVICES))
    .option('--repeats <number>', 'runs for each; the one in the middle counts', wholeNumber(1), 3)
    .option('--json <file>', 'where the results go, too');

export default simpleProgram<Options>(line, async ({ devices, repeats, json }) => {
  await ensureBuilt();
  const host = await serve({ port: 0 });
  const results: Partial<Record<Device, Result>> = {};
  try {
    for (const device of devices) {
      const runs: Result[] = [];
      for (let i = 0; i < repeats; i++) runs.push(await audit(host.url, device));
      const result = middle(runs);
      results[device] = result;
      const all = runs.map((run) => scoreOf(run, 'performance')).join(', ');
      console.log(
        `${device}: ${CATEGORIES.map((category) => `${category} ${scoreOf(result, category)}`).join(', ')} (performance of all runs: ${all}; load ${loadavg()[0]?.toFixed(1)})`,
      );
      const metrics = Object.entries(METRICS).map(
        ([id, name]) => `${name} ${result.audits[id]?.displayValue ?? 'unknown'}`,
      );
      console.log(`  ${metrics.join(', ')}`);
      for (const category of CATEGORIES)
        for (const miss of misses(result, category)) console.log(`  ${category}: ${miss}`);
    }
  } finally {
    await host.close();
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
});
