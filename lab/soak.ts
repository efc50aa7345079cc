/**
 * `npm run lab -- soak`: trains many small steps on the built page, and compares what it holds at the end with what it held at step 100, after
 * its garbage was collected; or how fast it trains in a tab behind another. Exit codes: 0 all within 10 % (80 % of the speed), 1 not so, or
 * the run failed, 2 bad arguments.
 */
import { chromium, type Browser, type Page } from 'playwright';
import { Option } from 'commander';
import { grouped } from '@rl-playground/base/text';
import { ensureBrowser } from '../src/cli/ensureBrowser.ts';
import { launchArguments } from '../src/cli/browser.ts';
import { ensureBuilt } from '../src/cli/build.ts';
import { addressWith, pageReady, reachOneOf, stepOf } from './faultsPage.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { serve } from '../src/cli/serve.ts';
import { hiddenRates } from './soakHidden.ts';
import { holdingsOf, prepareCounts, type Holdings } from './soakPage.ts';

interface Options {
  readonly backend: 'wasm' | 'webgpu';
  readonly steps: number;
  readonly from: number;
  readonly hidden: boolean;
}

/** What may be added to it until the end. */
const TOLERANCE = 0.1;
/** Of one wait, milliseconds. */
const PATIENCE = 120_000;
/** Steps that are waited for at once. */
const STRETCH = 100;

const SETTINGS = {
  task: 'reverse_digits',
  problemsPerStep: 1,
  rolloutsPerProblem: 2,
  maxTokens: 8,
  numGenerators: 1,
  evalSamples: 4,
  evalEvery: 50,
  warmupSteps: 0,
  seed: 3,
};

const line = () =>
  command(
    'npm run lab -- soak',
    `Trains small steps on the built page and compares heap, wasm memory, GPU buffers, workers and private files at the end with those of an early step: each within ${TOLERANCE * 100} %.`,
    '--backend webgpu --steps 200 --from 100',
  )
    .addOption(new Option('--backend <name>', 'what computes').choices(['wasm', 'webgpu']).default('wasm'))
    .option('--steps <count>', 'steps of the run, a line of its log for each', wholeNumber(2), 1000)
    .option('--from <step>', 'the step whose holdings are compared', wholeNumber(1), 100)
    .option(
      '--hidden',
      'in place of that: compares the speed in a tab behind another with that in front, three times --from steps each, in a window with a display (xvfb-run)',
      false,
    );

const addressOf = (url: string, { backend, steps }: Pick<Options, 'backend' | 'steps'>): string =>
  addressWith(url, { backend, numSteps: steps, ...SETTINGS });

async function openPage(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext();
  await prepareCounts(context);
  const page = await context.newPage();
  page.on('pageerror', (error) => printProblem(`page: ${error.stack ?? error.message}`));
  await page.goto(address);
  await pageReady(page);
  return page;
}

/** Trains until a step has been made, pauses, and waits until the run is kept as it stands. Resolves to steps per second. */
async function trainTo(page: Page, step: number, last: number): Promise<number> {
  const from = await stepOf(page);
  const began = performance.now();
  await page.getByTestId('train-button').click();
  for (let now = from; now < step; now = await stepOf(page)) {
    await page.waitForFunction(
      (wanted) => {
        const { step: at = 0, phase } = window.rlPlayground?.controller.snapshot() ?? {};
        return phase === 'failed' || at >= wanted;
      },
      Math.min(step, now + STRETCH),
      { timeout: PATIENCE },
    );
    const problem = await page.evaluate(() => {
      const { phase, notices } = window.rlPlayground?.controller.snapshot() ?? {};
      return phase === 'failed' ? (notices?.at(-1)?.text ?? '') : null;
    });
    if (problem !== null) throw new Error(`The run failed. ${problem}`);
  }
  const rate = ((await stepOf(page)) - from) / ((performance.now() - began) / 1000);
  if (step < last) await page.evaluate(() => window.rlPlayground?.controller.pause());
  await reachOneOf(page, ['paused', 'finished'], PATIENCE);
  await page.waitForFunction(() => window.rlPlayground?.kept.unsaved() === false, undefined, {
    timeout: PATIENCE,
  });
  return rate;
}

/** Kept are the last two and the best. */
const MOST_COMMITS = 3;

const COMPARED: readonly (readonly [keyof Holdings, string])[] = [
  ['heap', 'JavaScript objects of the page'],
  ['native', 'its DOM and buffers'],
  ['wasm', 'wasm memory'],
  ['gpu', 'GPU buffers'],
  ['workers', 'workers'],
  ['commitFiles', 'files of a commit, without evaluations'],
  ['otherFiles', 'files that belong to no commit'],
];
const GROWING: readonly (readonly [keyof Holdings, string])[] = [
  ['rows', 'rows of the log in the heap'],
  ['code', 'code that V8 compiled'],
  ['evaluations', 'evaluations with their samples'],
  ['log', 'metrics of all steps'],
  ['answers', 'answers of all steps'],
];

/** Prints what a page held early and late; returns how much of it changed by more than it may. */
function compare(early: Holdings, late: Holdings): number {
  let changed = 0;
  const row = (name: string, key: keyof Holdings, remark: string): void =>
    printLine(
      `${name.padEnd(40)}${grouped(early[key]).padStart(14)}${grouped(late[key]).padStart(14)}  ${remark}`,
    );
  for (const [key, name] of COMPARED) {
    const change = early[key] === late[key] ? 0 : (late[key] - early[key]) / early[key];
    const held = change <= TOLERANCE;
    if (!held) changed++;
    row(name, key, `${change < 0 ? '' : '+'}${(100 * change).toFixed(1)} %${held ? '' : '  TOO MUCH'}`);
  }
  const held = late.commits <= MOST_COMMITS;
  if (!held) changed++;
  row('commits', 'commits', held ? `at most ${MOST_COMMITS}` : 'TOO MANY');
  for (const [key, name] of GROWING) row(name, key, 'may grow');
  return changed;
}

async function soak(url: string, options: Options): Promise<number> {
  const { from, steps } = options;
  const browser = await chromium.launch({
    executablePath: ensureBrowser().executablePath,
    args: [...launchArguments('webgpu'), '--js-flags=--expose-gc'],
  });
  try {
    const page = await openPage(browser, addressOf(url, options));
    const session = await page.context().newCDPSession(page);
    const rates = [await trainTo(page, from, steps)];
    const early = await holdingsOf(page, session);
    rates.push(await trainTo(page, steps, steps));
    const late = await holdingsOf(page, session);
    printLine(`${''.padEnd(40)}${`step ${from}`.padStart(14)}${`step ${steps}`.padStart(14)}`);
    const changed = compare(early, late);
    printLine(`${rates.map((rate) => rate.toFixed(1)).join(', then ')} steps a second`);
    return changed === 0 ? 0 : 1;
  } finally {
    await browser.close();
  }
}

/** Of the speed in front, what a tab behind another has to reach. */
const HIDDEN_SHARE = 0.8;
/** More than are ever made. */
const ENDLESS = 100_000;

async function compareHidden(url: string, { backend, from }: Options): Promise<number> {
  const { visible, hidden } = await hiddenRates(addressOf(url, { backend, steps: ENDLESS }), from);
  const share = hidden / visible;
  printLine(
    `${visible.toFixed(1)} steps a second in front, ${hidden.toFixed(1)} behind another tab: ${(100 * share).toFixed(0)} %, ${100 * HIDDEN_SHARE} % are asked for`,
  );
  return share >= HIDDEN_SHARE ? 0 : 1;
}

export default simpleProgram<Options>(line, async (options) => {
  const { from, steps, hidden } = options;
  if (!hidden && from >= steps)
    throw new BadInput(`--from: ${from} must be less than the ${steps} steps of the run.`);
  await ensureBuilt();
  const server = await serve({ port: 0 });
  try {
    return await (hidden ? compareHidden : soak)(server.url, options);
  } finally {
    await server.close();
  }
});
