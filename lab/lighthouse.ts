/**
 * `npm run lab -- lighthouse`: runs Google's Lighthouse on the built page, as on a desktop and on a phone, and prints scores, their
 * parts, and the audits that miss points. Lighthouse itself is no dependency of the project, because it brings 180 packages. Nothing is
 * downloaded or sent anywhere. Exit codes: 0 every goal reached, 1 one missed or failed, 2 bad arguments or no Lighthouse.
 */
import { execFile, spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { promisify } from 'node:util';
import { Option } from 'commander';
import { z } from 'zod';
import { messageOf, BadInput } from '@rl-playground/base/errors';
import { ensureBrowser } from '../src/cli/ensureBrowser.ts';
import { launchArguments } from '../src/cli/browser.ts';
import { ensureBuilt } from '../src/cli/build.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { serve } from '../src/cli/serve.ts';

const DEVICES = ['desktop', 'mobile'] as const;
type Device = (typeof DEVICES)[number];
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
type Category = (typeof CATEGORIES)[number];
/** The least scores. */
const GOALS: Readonly<Record<Device, Readonly<Partial<Record<Category, number>>>>> = {
  desktop: { performance: 95, accessibility: 100, 'best-practices': 100 },
  mobile: { performance: 75 },
};
/** The parts of the performance score. */
const METRICS = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocked',
  'cumulative-layout-shift': 'layout shift',
  'speed-index': 'speed index',
} as const;
const MOST_BYTES = 64 * 2 ** 20;
/** The name of an error that Lighthouse reports now and then, when it misses the beginning of a page. */
const MISSED = 'NO_NAVSTART';

/** The fields of a result that are read. */
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
    z.object({ title: z.string(), score: z.number().nullable(), displayValue: z.string().optional() }),
  ),
});
type Result = z.infer<typeof resultSchema>;

interface Options {
  readonly devices: readonly Device[];
  readonly repeats: number;
}

/** Runs an audit in a browser of its own, whose cache is empty. @throws Error with Lighthouse's words if it fails. */
async function audit(lighthouse: string, url: string, device: Device): Promise<Result> {
  const { executablePath } = ensureBrowser();
  const flags = ['--headless=new', ...launchArguments('none')].join(' ');
  const words = [`--only-categories=${CATEGORIES.join(',')}`, '--output=json', `--chrome-flags=${flags}`];
  const preset = device === 'desktop' ? ['--preset=desktop'] : [];
  const { stdout } = await promisify(execFile)(
    lighthouse,
    [url, ...words, ...preset, '--quiet', '--no-enable-error-reporting'],
    { env: { ...process.env, CHROME_PATH: executablePath }, maxBuffer: MOST_BYTES },
  );
  const result = resultSchema.parse(JSON.parse(stdout));
  if (result.runtimeError) throw new Error(result.runtimeError.message);
  return result;
}

const scoreOf = ({ categories }: Result, category: Category): number =>
  Math.round(100 * (categories[category]?.score ?? 0));

/** Audits that miss points of a category. */
const misses = ({ categories, audits }: Result, category: Category): string[] =>
  (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
    const found = audits[id];
    if (!found || found.score === null || found.score >= 1 || weight === 0) return [];
    return [`${found.title} (${found.displayValue ?? 'missed'})`];
  });

/** Prints the run with the median performance. @returns true if it reaches every goal */
function report(device: Device, runs: readonly Result[]): boolean {
  const sorted = runs.toSorted((a, b) => scoreOf(a, 'performance') - scoreOf(b, 'performance'));
  const middle = sorted[Math.floor((runs.length - 1) / 2)];
  if (middle === undefined) return false;
  const scores = CATEGORIES.map((category) => `${category} ${scoreOf(middle, category)}`).join(', ');
  const all = runs.map((run) => scoreOf(run, 'performance')).join(', ');
  // Points of Lighthouse's own benchmark: a slow machine has fewer, and a busy one.
  const speeds = runs.map(({ environment }) => environment.benchmarkIndex.toFixed(0)).join(', ');
  printLine(
    `${device}: ${scores} (performance of all runs: ${all}; speed of the machine: ${speeds}; load ${loadavg()[0]?.toFixed(1)})`,
  );
  const metrics = Object.entries(METRICS).map(
    ([id, name]) => `${name} ${middle.audits[id]?.displayValue ?? 'unknown'}`,
  );
  printLine(`  ${metrics.join(', ')}`);
  for (const category of CATEGORIES)
    for (const miss of misses(middle, category)) printLine(`  ${category}: ${miss}`);
  const missed = CATEGORIES.filter((category) => scoreOf(middle, category) < (GOALS[device][category] ?? 0));
  for (const category of missed)
    printLine(`  missed: ${category} ${scoreOf(middle, category)} of at least ${GOALS[device][category]}`);
  return missed.length === 0;
}

const line = () =>
  command(
    'npm run lab -- lighthouse',
    'Runs Lighthouse on the built page, as on a desktop and on a phone.',
    '--devices mobile --repeats 3',
  )
    .addOption(new Option('--devices <names...>', 'as which device').choices(DEVICES).default(DEVICES))
    .option('--repeats <number>', 'runs for each; the one in the middle counts', wholeNumber(1), 3);

export default simpleProgram<Options>(line, async ({ devices, repeats }) => {
  const lighthouse = process.env['LIGHTHOUSE_PATH'] ?? 'lighthouse';
  if (spawnSync(lighthouse, ['--version']).status !== 0)
    throw new BadInput(
      'There is no Lighthouse here. Install one (npm install -g lighthouse@12), or set LIGHTHOUSE_PATH to it.',
    );
  await ensureBuilt();
  const host = await serve({ port: 0 });
  let reached = true;
  try {
    for (const device of devices) {
      const runs: Result[] = [];
      for (let left = 3 * repeats; runs.length < repeats; left--)
        try {
          runs.push(await audit(lighthouse, host.url, device));
        } catch (error) {
          if (left === 0 || !messageOf(error).includes(MISSED)) throw error;
        }
      reached = report(device, runs) && reached;
    }
  } finally {
    await host.close();
  }
  return reached ? 0 : 1;
});
