/**
 * `npm run lab -- lighthouse`: Google's Lighthouse on the built page, as on a desktop and on a phone: scores, what they are made of, and what
 * misses points. Lighthouse itself is no dependency of the project, for it brings 180 packages. Nothing is downloaded or sent anywhere. Exit
 * codes: 0 every goal reached, 1 one missed or failed, 2 bad arguments or no Lighthouse.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Option } from 'commander';
import { chromium } from 'playwright';
import { z } from 'zod';
import { messageOf } from '@rl-playground/base/errors';
import { ensureBrowser } from '../cli/ensureBrowser.ts';
import { launchArguments } from '../cli/browser.ts';
import { ensureBuilt } from '../cli/build.ts';
import { printLine } from '../cli/print.ts';
import { BadInput, command, simpleProgram, wholeNumber } from '../cli/program.ts';
import { serve } from '../cli/serve.ts';

const DEVICES = ['desktop', 'mobile'] as const;
type Device = (typeof DEVICES)[number];
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
type Category = (typeof CATEGORIES)[number];
/** The least that a score may be. */
const GOALS: Readonly<Record<Device, Readonly<Partial<Record<Category, number>>>>> = {
  desktop: { performance: 95, accessibility: 100, 'best-practices': 100 },
  mobile: { performance: 80 },
};
/** What the score of performance is made of. */
const METRICS = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocked',
  'cumulative-layout-shift': 'layout shift',
  'speed-index': 'speed index',
} as const;

/** What is read of a result. */
const resultSchema = z.object({
  runtimeError: z.object({ message: z.string() }).optional(),
  environment: z.object({ benchmarkIndex: z.number() }),
  categories: z.record(
    z.string(),
    z.object({
      score: z.number().nullable(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
    }),
  ),
  audits: z.record(
    z.string(),
    z.object({
      title: z.string(),
      score: z.number().nullable(),
      displayValue: z.string().optional(),
      details: z
        .object({ items: z.array(z.unknown()).optional() })
        .optional()
        .catch(undefined),
    }),
  ),
});
type Result = z.infer<typeof resultSchema>;

interface Options {
  readonly devices: readonly Device[];
  readonly repeats: number;
  readonly json?: string;
}

const run = promisify(execFile);

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

/** In a browser of its own, whose cache is empty. @throws Error with what Lighthouse says where it fails. */
async function audit(lighthouse: string, url: string, device: Device): Promise<Result> {
  const port = await freePort();
  const { executablePath } = ensureBrowser();
  const args = [...launchArguments('none'), `--remote-debugging-port=${port}`];
  const browser = await chromium.launch({ executablePath, args });
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-lighthouse-'));
  try {
    const file = join(folder, 'result.json');
    const words = [url, `--port=${port}`, `--only-categories=${CATEGORIES.join(',')}`, '--output=json'];
    const preset = device === 'desktop' ? ['--preset=desktop'] : [];
    await run(lighthouse, [
      ...words,
      ...preset,
      `--output-path=${file}`,
      '--quiet',
      '--no-enable-error-reporting',
    ]);
    const result = resultSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (result.runtimeError) throw new Error(result.runtimeError.message);
    return result;
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

/** Lighthouse misses the beginning of a page now and then, and names this. */
const MISSED = 'NO_NAVSTART';
const MOST_TRIES = 3;

/** `audit` until Lighthouse saw the page from its beginning. @throws Error as `audit` does */
async function wholeAudit(lighthouse: string, url: string, device: Device): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await audit(lighthouse, url, device);
    } catch (error) {
      if (tries === MOST_TRIES || !messageOf(error).includes(MISSED)) throw error;
      printLine(`${device}: Lighthouse missed the beginning of the page, and looks again.`);
    }
}

const scoreOf = ({ categories }: Result, category: string): number =>
  Math.round(100 * (categories[category]?.score ?? 0));

/** Audits that miss points of a category, with the elements that they name. */
function misses({ categories, audits }: Result, category: string): string[] {
  return (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
    const found = audits[id];
    if (!found || found.score === null || found.score >= 1 || weight === 0) return [];
    const items = found.details?.items ?? [];
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
    'npm run lab -- lighthouse',
    'Runs Lighthouse on the built page, as on a desktop and on a phone.',
    '--devices mobile --repeats 3',
  )
    .addOption(new Option('--devices <names...>', 'as which device').choices(DEVICES).default(DEVICES))
    .option('--repeats <number>', 'runs for each; the one in the middle counts', wholeNumber(1), 3)
    .option('--json <file>', 'where the results go, too');

export default simpleProgram<Options>(line, async ({ devices, repeats, json }) => {
  const lighthouse = process.env['LIGHTHOUSE_PATH'] ?? 'lighthouse';
  if (spawnSync(lighthouse, ['--version']).status !== 0)
    throw new BadInput(
      'There is no Lighthouse here. Install one (npm install -g lighthouse@12), or set LIGHTHOUSE_PATH to it.',
    );
  await ensureBuilt();
  const host = await serve({ port: 0 });
  const results: Partial<Record<Device, Result>> = {};
  let missed = false;
  try {
    for (const device of devices) {
      const runs: Result[] = [];
      for (let i = 0; i < repeats; i++) runs.push(await wholeAudit(lighthouse, host.url, device));
      const result = middle(runs);
      results[device] = result;
      const all = runs.map((run) => scoreOf(run, 'performance')).join(', ');
      // Points of Lighthouse's own benchmark: a slow machine has fewer, and a busy one.
      const speeds = runs.map(({ environment }) => environment.benchmarkIndex.toFixed(0)).join(', ');
      printLine(
        `${device}: ${CATEGORIES.map((category) => `${category} ${scoreOf(result, category)}`).join(', ')} (performance of all runs: ${all}; speed of the machine: ${speeds}; load ${loadavg()[0]?.toFixed(1)})`,
      );
      const metrics = Object.entries(METRICS).map(
        ([id, name]) => `${name} ${result.audits[id]?.displayValue ?? 'unknown'}`,
      );
      printLine(`  ${metrics.join(', ')}`);
      for (const [category, least] of Object.entries(GOALS[device])) {
        const score = scoreOf(result, category);
        if (score >= least) continue;
        missed = true;
        printLine(`  missed: ${category} ${score} of at least ${least}`);
      }
      for (const category of CATEGORIES)
        for (const miss of misses(result, category)) printLine(`  ${category}: ${miss}`);
    }
  } finally {
    await host.close();
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  return missed ? 1 : 0;
});
