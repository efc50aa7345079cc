/**
 * `npm run lab -- soak`: trains many small steps on the built page, and compares what it holds at the end with what it held at an early step,
 * after its garbage was collected. Exit codes: 0 all within 10 %, 1 not so, or the run failed, 2 bad arguments.
 */
import type { Browser, CDPSession, Page } from 'playwright';
import { Option } from 'commander';
import { grouped } from '@rl-playground/base/text';
import { onBuiltPage } from './builtPage.ts';
import { bufferBytesOf, countBuffersInPage } from './bufferBytes.ts';
import { addressWith, pageReady, reachOneOf, stepOf } from './faultsPage.ts';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';

interface Options {
  readonly backend: 'wasm' | 'webgpu';
  readonly steps: number;
  readonly from: number;
}

/** The share by which the page may hold more at the end. */
const TOLERANCE = 0.1;
/** The longest wait, in milliseconds. */
const PATIENCE = 120_000;
/** The steps of one wait. */
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
    `Trains small steps on the built page and compares heap, GPU buffers and workers at the end with those of an early step: each within ${TOLERANCE * 100} %.`,
    '--backend webgpu --steps 200 --from 100',
  )
    .addOption(new Option('--backend <name>', 'what computes').choices(['wasm', 'webgpu']).default('wasm'))
    .option('--steps <count>', 'steps of the run, a line of its log for each', wholeNumber(2), 1000)
    .option('--from <step>', 'the step whose holdings are compared', wholeNumber(1), 100);

/** Trains until a step is made, and waits until the run is kept in this state. */
async function trainTo(page: Page, step: number, last: number): Promise<void> {
  await page.getByTestId('train-button').click();
  for (let now = await stepOf(page); now < step; now = await stepOf(page)) {
    await page.waitForFunction(
      (wanted) => {
        const { step: at = 0, phase } = window.rlPlayground?.controller.snapshot() ?? {};
        return phase === 'failed' || at >= wanted;
      },
      Math.min(step, now + STRETCH),
      { timeout: PATIENCE },
    );
    if ((await page.evaluate(() => window.rlPlayground?.controller.snapshot().phase)) === 'failed')
      throw new Error(`The run failed after step ${now}.`);
  }
  if (step < last) await page.evaluate(() => window.rlPlayground?.controller.pause());
  await reachOneOf(page, ['paused', 'finished'], PATIENCE);
  const kept = () => window.rlPlayground?.kept.unsaved() === false;
  await page.waitForFunction(kept, undefined, { timeout: PATIENCE });
}

async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

/** The bytes of the metrics of all steps, which may grow: the heap grows by as much for a copy of them. */
async function rowBytes(page: Page, session: CDPSession): Promise<number> {
  const before = await heapBytes(session);
  await page.evaluate(() => {
    // Numbers too: objects that are spread would share them.
    Reflect.set(window, 'copies', structuredClone(window.rlPlayground?.controller.snapshot().metrics));
  });
  const bytes = (await heapBytes(session)) - before;
  await page.evaluate(() => Reflect.deleteProperty(window, 'copies'));
  return Math.max(0, bytes);
}

/** The holdings of a page at rest, after its garbage was collected. */
async function holdingsOf(page: Page, session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const rows = await rowBytes(page, session);
  return {
    'heap without the rows of the log': (await heapBytes(session)) - rows,
    'GPU buffers': (await bufferBytesOf(page))?.now ?? 0,
    workers: page.workers().length,
  };
}

async function soak(url: string, browser: Browser, { backend, from, steps }: Options): Promise<number> {
  const page = await browser.newPage();
  await page.addInitScript(countBuffersInPage);
  await page.goto(addressWith(url, { backend, numSteps: steps, ...SETTINGS }));
  await pageReady(page);
  const session = await page.context().newCDPSession(page);
  await trainTo(page, from, steps);
  const early = await holdingsOf(page, session);
  await trainTo(page, steps, steps);
  const late = await holdingsOf(page, session);
  let changed = 0;
  for (const [name, before] of Object.entries(early)) {
    const after = late[name] ?? NaN;
    const change = before === after ? 0 : (after - before) / before;
    const held = change <= TOLERANCE;
    if (!held) changed++;
    printLine(
      `${name}: ${grouped(before)} at step ${from}, ${grouped(after)} at step ${steps} (${(100 * change).toFixed(1)} %)${held ? '' : ' TOO MUCH'}`,
    );
  }
  return changed === 0 ? 0 : 1;
}

export default simpleProgram<Options>(line, async (options) => {
  const { from, steps } = options;
  if (from >= steps) throw new BadInput(`--from: ${from} must be less than the ${steps} steps of the run.`);
  return onBuiltPage('webgpu', (url, browser) => soak(url, browser, options));
});
