/**
 * `npm run lab -- platforms`: trains a few steps on wasm on the built page in another browser and in Chromium, and prints which metrics differ.
 * Exit codes: 0 the same run, 1 another one, or one that failed or was not kept, 2 bad
 * arguments or no such browser.
 */
import { setTimeout } from 'node:timers/promises';
import { Option } from 'commander';
import { z } from 'zod';
import { MACHINE_KEYS } from '@rl-playground/run/metrics';
import { onServedPage } from './builtPage.ts';
import { addressWith } from './faultsPage.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { BROWSERS, chromiumTab, otherTab, type Tab } from './platformTabs.ts';
import { runDifference } from './runDifference.ts';

interface Options {
  readonly browser: (typeof BROWSERS)[number];
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
    'Trains a few steps on the built page in another browser and in Chromium, on wasm, and compares the runs.',
    '--steps 10',
  )
    .addOption(new Option('--browser <name>', 'the other browser').choices(BROWSERS).default('firefox'))
    .option('--steps <count>', 'steps of the run', wholeNumber(1), 5);

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
const REFUSED = `${CONTROLLER}.snapshot().notices.some(({ title }) => title === 'This browser can’t keep runs')`;

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

function printed({ name, agent, adapter, phase, problem, metrics, kept }: Seen): void {
  const keeping = kept ? 'the run is kept' : 'no run is kept';
  printLine(
    `${name}: ${agent}\n  ${adapter}\n  ${phase} after ${metrics.length} steps; ${keeping} ${problem}`,
  );
}

export default simpleProgram<Options>(line, ({ steps, browser }) =>
  onServedPage(async (address) => {
    const url = addressWith(address, { ...SETTINGS, numSteps: steps });
    const other = await trained(() => otherTab(browser), url);
    printed(other);
    const usual = await trained(() => chromiumTab(browser !== 'firefox'), url);
    printed(usual);
    if (other.phase === 'failed' || usual.phase === 'failed') return 1;
    const { exact, close, apart } = runDifference(usual.metrics, other.metrics, new Set(MACHINE_KEYS));
    printLine(`\nto the bit: ${exact.join(', ')}`);
    for (const { key, relative } of [...close, ...apart])
      printLine(`${key}: differs by ${relative.toExponential(1)} of its size`);
    printLine(`${exact.length} metrics to the bit, ${close.length} but for rounding, ${apart.length} apart`);
    // WebKitGTK gives pages no files to write.
    const keeps = browser === 'firefox';
    return apart.length === 0 && usual.kept && other.kept === keeps ? 0 : 1;
  }),
);
