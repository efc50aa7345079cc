/**
 * `npm run lab -- platforms`: runs the built page in another browser than the tests', over WebDriver BiDi or WebDriver. It trains a few
 * steps on wasm there and in Chromium, and prints the differences of their metrics and a row for lab/notes/platforms.md. Or it runs the
 * kernels' tests on another implementation of WebGPU, wgpu as Deno has it. Exit codes: 0 the same run, 1 another one, or one that failed
 * or was not kept, 2 bad arguments or no such browser.
 */
import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright';
import { Option } from 'commander';
import { z } from 'zod';
import { MACHINE_KEYS } from '@rl-playground/run/metrics';
import { BidiBrowser, findFirefox } from './bidi.ts';
import { ensureBrowser } from '../src/cli/ensureBrowser.ts';
import { launchArguments } from '../src/cli/browser.ts';
import { ensureBuilt } from '../src/cli/build.ts';
import { addressWith } from './faultsPage.ts';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { runDifference } from './runDifference.ts';
import { serve } from '../src/cli/serve.ts';
import { runTool } from '../src/cli/tools.ts';
import { WebDriverBrowser } from './webdriver.ts';

interface Options {
  readonly browser: 'firefox' | 'webkit' | 'webkit-threads' | 'deno';
  readonly steps: number;
}

const SETTINGS = {
  task: 'reverse_digits',
  backend: 'wasm',
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  numGenerators: 1,
  evalSamples: 10,
  seed: 5,
};

const line = () =>
  command(
    'npm run lab -- platforms',
    'Trains a few steps on the built page in another browser and in Chromium, on wasm, and compares the runs; or runs the kernels’ tests on Deno’s WebGPU (wgpu), for which words behind the options name files.',
    '--steps 10',
  )
    .addOption(
      new Option(
        '--browser <name>',
        'the other browser, WebKitGTK as it is or with the shared memory that it has switched off, or deno',
      )
        .choices(['firefox', 'webkit', 'webkit-threads', 'deno'])
        .default('firefox'),
    )
    .allowExcessArguments()
    .option('--steps <count>', 'steps of the run', wholeNumber(1), 5);

/** A tab of any browser. */
interface Tab {
  /** The name of the browser, if its pages do not know it. */
  readonly name?: string;
  open(url: string): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * The switch that makes Chromium round as WebKit does. Without relaxed SIMD, which WebKit lacks, a product and the sum that it goes into
 * are rounded each; in Chromium they are too if V8 may not use the processor's fused multiply-add.
 */
const ROUNDED_TWICE = '--js-flags=--no-enable-fma3';

async function chromiumTab(roundedTwice: boolean): Promise<Tab> {
  const { executablePath } = ensureBrowser();
  const args = [...launchArguments('none'), ...(roundedTwice ? [ROUNDED_TWICE] : [])];
  const browser = await chromium.launch({ executablePath, args });
  const page = await browser.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: (expression) => page.evaluate(expression),
    close: () => browser.close(),
  };
}

async function otherTab(browser: Options['browser']): Promise<Tab> {
  if (browser !== 'firefox') return WebDriverBrowser.webkit(browser === 'webkit-threads');
  if (typeof WebSocket === 'undefined')
    throw new BadInput(
      'This Node has no WebSocket: take Node 22, or `node --experimental-websocket` with Node 20.',
    );
  const executable = findFirefox();
  if (executable === null)
    throw new BadInput(
      'There is no Firefox here. Install one (Debian: apt-get install firefox-esr), or set FIREFOX_PATH to its executable.',
    );
  return BidiBrowser.firefox(executable);
}

/** Runs the tests of Vitest's project `wgpu`. Resolves to the exit code. */
async function testOnWgpu(files: readonly string[]): Promise<number> {
  const deno = process.env['DENO_PATH'] ?? 'deno';
  if (spawnSync(deno, ['--version']).status !== 0)
    throw new BadInput('There is no Deno here. Install one (npm install -g deno), or set DENO_PATH to it.');
  const words = ['run', '--project=wgpu', '--reporter=verbose', ...files];
  return runTool('vitest', words, {}, undefined, [deno, 'run', '-A', '--unstable-webgpu']);
}

const CONTROLLER = 'window.rlPlayground?.controller';
/** The milliseconds between two looks, and those in which something must happen. */
const LOOK = 100;
const PATIENCE = 180_000;

/** Resolves once an expression is true in the page. @throws Error if that does not happen. */
async function until(tab: Tab, expression: string): Promise<void> {
  for (const end = performance.now() + PATIENCE; performance.now() < end; await setTimeout(LOOK))
    if ((await tab.evaluate(`Boolean(${expression})`)) === true) return;
  throw new Error(`This did not come about within ${PATIENCE / 1000} s: ${expression}`);
}

const PREPARED = `document.querySelector('[data-testid=status]:not([data-phase=loading])')`;
const seen = z.object({
  agent: z.string(),
  adapter: z.string(),
  phase: z.string(),
  problem: z.string(),
  metrics: z.array(z.record(z.string(), z.unknown())),
});
type Seen = z.infer<typeof seen> & { readonly name: string; readonly kept: boolean };

const SAVED = `${CONTROLLER}.kept.unsaved() === false`;
/** True in the page if the browser gives it no files. */
const REFUSED = `${CONTROLLER}.snapshot().notices.some(({ title }) => title === 'This browser keeps no runs')`;

/** Trains in a tab until the run has ended or failed, and opens the page again. */
async function trained(open: () => Promise<Tab>, url: string): Promise<Seen> {
  const tab = await open();
  try {
    await tab.open(url);
    await until(tab, PREPARED);
    await tab.evaluate(`document.querySelector('[data-testid=train-button]').click()`);
    await until(tab, `['finished', 'failed'].includes(${CONTROLLER}.snapshot().phase)`);
    const found = await tab.evaluate(`(() => {
      const { phase, metrics, notices } = ${CONTROLLER}.snapshot();
      const adapter = ${CONTROLLER}.snapshot().backend.line;
      const problem = phase === 'failed' ? notices.at(-1)?.text ?? '' : '';
      return { agent: navigator.userAgent, adapter, phase, problem, metrics };
    })()`);
    const run = seen.parse(found);
    const name = tab.name ?? /(\w+\/[\d.]+)$/.exec(run.agent)?.[1]?.replace('/', ' ') ?? run.agent;
    if (run.phase === 'failed') return { ...run, name, kept: false };
    await until(tab, `${SAVED} || ${REFUSED}`);
    if ((await tab.evaluate(SAVED)) !== true) return { ...run, name, kept: false };
    await tab.open(url);
    await until(tab, PREPARED);
    await until(tab, `document.querySelector('[data-testid=kept-run]')`);
    return { ...run, name, kept: true };
  } finally {
    await tab.close();
  }
}

const keptText = (kept: boolean): string => (kept ? 'the run is kept' : 'the page says that no run is kept');

function printed({ name, agent, adapter, phase, problem, metrics, kept }: Seen): void {
  printLine(`${name}: ${agent}\n  ${adapter}\n  ${phase} after ${metrics.length} steps`);
  if (phase !== 'failed') printLine(`  ${keptText(kept)}`);
  if (problem !== '') printLine(`  ${problem}`);
}

export default simpleProgram<Options>(line, async ({ steps, browser }, words) => {
  if (browser === 'deno') return testOnWgpu(words);
  if (words.length > 0) throw new BadInput(`${words.join(' ')}: only --browser deno takes files.`);
  await ensureBuilt();
  const server = await serve({ port: 0 });
  try {
    const url = addressWith(server.url, { ...SETTINGS, numSteps: steps });
    const other = await trained(() => otherTab(browser), url);
    printed(other);
    const usual = await trained(() => chromiumTab(browser !== 'firefox'), url);
    printed(usual);
    if (other.phase === 'failed' || usual.phase === 'failed') return 1;
    const { exact, close, apart } = runDifference(usual.metrics, other.metrics, new Set(MACHINE_KEYS));
    printLine(`\nto the bit: ${exact.join(', ')}`);
    for (const { key, relative } of [...close, ...apart])
      printLine(`${key}: differs by ${relative.toExponential(1)} of its size`);
    printLine(
      `\n| ${other.name} | ${process.platform}, ${process.arch} | ${other.adapter} | \`npm run lab -- platforms\`: ${steps} steps, ${exact.length} metrics to the bit, ${close.length} but for rounding, ${apart.length} apart; ${keptText(other.kept)} |`,
    );
    // WebKitGTK gives pages no files to write.
    const keeps = browser === 'firefox';
    return apart.length === 0 && usual.kept && other.kept === keeps ? 0 : 1;
  } finally {
    await server.close();
  }
});
