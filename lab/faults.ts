/**
 * `npm run lab -- faults`: breaks runs on the built page at every moment and in every way that a browser can, and compares their results
 * with an undisturbed run. It prints a line for each cell, and the last line says how many are equal. Exit codes: 0 all equal, 1 some
 * differ, 2 bad arguments.
 */
import { chromium, type Browser } from 'playwright';
import { Option } from 'commander';
import { messageOf } from '@rl-playground/base/errors';
import { ensureBrowser } from '../src/cli/ensureBrowser.ts';
import { launchArguments } from '../src/cli/browser.ts';
import { ensureBuilt } from '../src/cli/build.ts';
import { goOnWithKept, killedRuns } from './faultKills.ts';
import {
  addressWith,
  armFault,
  differenceOf,
  FAULTS,
  MOMENTS,
  openAt,
  pageReady,
  outcomeOf,
  prepareFaults,
  reachOneOf,
  wentWrong,
  type FaultName,
  type Moment,
  type Outcome,
} from './faultsPage.ts';
import { printLine } from '@rl-playground/base/print';
import { processesBelow } from '@rl-playground/run/disk';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { serve } from '../src/cli/serve.ts';

interface Options {
  readonly backend: 'wasm' | 'webgpu';
  readonly only?: string;
  readonly kills?: number;
  readonly seed: number;
}

const STEPS = 12;
/** The steps between evaluations. The first one is kept with the run, because nothing before was as good. */
const EVERY = 4;
/** The fault comes in the evaluation of this step, or in the step after it. */
const BEFORE = 8;
/** The milliseconds of one wait. */
const PATIENCE = 120_000;

const SETTINGS: Readonly<Record<Options['backend'], Readonly<Record<string, string | number>>>> = {
  wasm: { problemsPerStep: 4, rolloutsPerProblem: 4 },
  webgpu: { problemsPerStep: 2, rolloutsPerProblem: 2, maxTokens: 16 },
};
const SHARED = {
  task: 'reverse_digits',
  numSteps: STEPS,
  evalEvery: EVERY,
  evalSamples: 4,
  numGenerators: 2,
  warmupSteps: 0,
  seed: 3,
};

const line = () =>
  command(
    'npm run lab -- faults',
    `Breaks runs of ${STEPS} steps on the built page: ${FAULTS.join(', ')}; each while ${MOMENTS.join(', ')}. Compares weights, optimizer and log with a run that nothing was done to.`,
    '--backend wasm --only reload',
  )
    .addOption(new Option('--backend <name>', 'what computes').choices(['wasm', 'webgpu']).default('wasm'))
    .option('--only <word>', 'the cells alone whose names have it')
    .option(
      '--kills <count>',
      'in place of the cells: kills at random moments of runs of 60 steps, on the page and of the command line',
      wholeNumber(1),
    )
    .option('--seed <number>', 'that the moments of kills are drawn from', wholeNumber(0), 1);

/** The seconds after which a silent worker counts as broken, in place of the 20 and more in people's runs. */
const SHORT_DEADLINE = 2;

interface Cell {
  readonly fault: FaultName;
  readonly moment: Moment;
  /** True if silence is waited for as long as in people's runs. */
  readonly realDeadline: boolean;
}

const CELLS: readonly Cell[] = [
  ...FAULTS.flatMap((fault) => MOMENTS.map((moment) => ({ fault, moment, realDeadline: false }))),
  { fault: 'generator hangs', moment: 'generating', realDeadline: true },
];

/** The step after which the fault comes. */
function stepBehind(moment: Moment): number {
  // Short runs are kept behind the first evaluation, and then at their end.
  if (moment === 'saving') return EVERY;
  return moment === 'evaluating' ? BEFORE : BEFORE + 1;
}

const nameOf = ({ fault, moment, realDeadline }: Cell): string =>
  `${fault} while ${moment}${realDeadline ? ', with the real deadline' : ''}`;

/** The reason why such a cell is impossible; null if it is possible. */
function impossible({ fault }: Cell, backend: Options['backend']): string | null {
  if (fault === 'GPU process killed' && backend === 'wasm') return 'nothing of the run is on the GPU';
  if (fault === 'SIMD thread hangs' && backend === 'webgpu') return 'no SIMD thread works for the GPU';
  return null;
}

class FaultyRuns {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #settings: Readonly<Record<string, string | number>>;

  constructor(browser: Browser, url: string, backend: Options['backend']) {
    this.#browser = browser;
    this.#url = url;
    this.#settings = { backend, ...SHARED, ...SETTINGS[backend] };
  }

  async undisturbed(): Promise<Outcome> {
    const context = await this.#browser.newContext();
    try {
      const page = await context.newPage();
      await openAt(page, addressWith(this.#url, this.#settings));
      await page.getByTestId('train-button').click();
      await reachOneOf(page, ['finished'], PATIENCE);
      return await outcomeOf(page);
    } finally {
      await context.close();
    }
  }

  /** Returns the result of a run that is broken once, and the step from which it continued. */
  async broken({ fault, moment, realDeadline }: Cell): Promise<{ outcome: Outcome; repeated: number }> {
    const address = addressWith(
      this.#url,
      realDeadline ? this.#settings : { ...this.#settings, deadline: SHORT_DEADLINE },
    );
    // With a service worker, requests that the test changes hang after a crash. Without one a page opens at once.
    const context = await this.#browser.newContext({ serviceWorkers: 'block' });
    try {
      await prepareFaults(context);
      let page = await context.newPage();
      await openAt(page, address);
      const session = await context.newCDPSession(page);
      const killGpu = (): void => {
        const found = processesBelow().find(({ words }) => words.includes('--type=gpu-process'));
        if (!found) throw new Error('The browser has no GPU process.');
        process.kill(found.pid, 'SIGKILL');
      };
      const { happened } = await armFault(
        page,
        fault,
        { moment, step: stepBehind(moment) },
        { session, killGpu },
      );
      await page.getByTestId('train-button').click();
      const at = await happened;
      let from = at;
      if (fault === 'tab crash') {
        page = await context.newPage();
        await openAt(page, address);
        from = (await goOnWithKept(page)).step;
      } else if (fault === 'reload') {
        await page.waitForLoadState();
        await pageReady(page);
        from = (await goOnWithKept(page)).step;
      }
      // A person presses Train again if the page asks for that.
      for (
        let pressed = 0;
        (await reachOneOf(page, ['finished', 'failed', 'paused'], PATIENCE)) !== 'finished';
        pressed++
      ) {
        if (pressed === 3) throw new Error('The run failed four times.');
        await page.getByTestId('train-button').click();
        await page.waitForFunction(() => window.rlPlayground?.controller.snapshot().phase !== 'failed');
      }
      if (!(await wentWrong(page, fault, SHARED.numGenerators)))
        throw new Error('Nothing went wrong: no worker was replaced.');
      return { outcome: await outcomeOf(page), repeated: at - from };
    } finally {
      await context.close().catch(() => undefined);
    }
  }
}

const minutesSince = (began: number): string =>
  `${((performance.now() - began) / 60_000).toFixed(1)} minutes`;

type Launch = () => Promise<Browser>;

async function runKills(launch: Launch, url: string, kills: number, seed: number): Promise<number> {
  const browser = await launch();
  const began = performance.now();
  const counts = { kills: 0, differ: 0, repeated: 0 };
  try {
    for await (const run of killedRuns(browser, url, kills, seed)) {
      counts.kills += run.kills;
      counts.repeated = Math.max(counts.repeated, run.repeated);
      if (run.problem !== null) counts.differ++;
      const result = run.problem === null ? 'equal' : `DIFFERS: ${run.problem}`;
      const seconds = run.seconds === null ? '' : `, ${run.seconds.toFixed(1)} s after the last commit`;
      printLine(`${run.name}${seconds}, ${run.repeated} steps repeated at most: ${result}`);
    }
  } finally {
    await browser.close();
  }
  printLine(
    `${counts.kills} kills, ${counts.differ} runs differ, ${counts.repeated} steps repeated at most, in ${minutesSince(began)}`,
  );
  return counts.differ === 0 ? 0 : 1;
}

async function runCells(
  launch: Launch,
  url: string,
  backend: Options['backend'],
  only: string,
): Promise<number> {
  const cells = CELLS.filter((cell) => nameOf(cell).includes(only));
  const counts = { equal: 0, differ: 0, impossible: 0 };
  const began = performance.now();
  let browser = await launch();
  try {
    const expected = await new FaultyRuns(browser, url, backend).undisturbed();
    for (const cell of cells) {
      const why = impossible(cell, backend);
      if (why !== null) {
        counts.impossible++;
        printLine(`cannot be  ${nameOf(cell)}: ${why}`);
        continue;
      }
      const cellBegan = performance.now();
      const { problem, repeated } = await new FaultyRuns(browser, url, backend).broken(cell).then(
        (found) => ({ problem: differenceOf(found.outcome, expected), repeated: found.repeated }),
        (error: unknown) => ({ problem: messageOf(error), repeated: 0 }),
      );
      counts[problem === null ? 'equal' : 'differ']++;
      const seconds = ((performance.now() - cellBegan) / 1000).toFixed(1);
      const steps = repeated > 0 ? `, ${repeated} steps repeated` : '';
      const result = problem === null ? 'equal     ' : 'DIFFERS   ';
      printLine(`${result} ${nameOf(cell)} (${seconds} s${steps})${problem === null ? '' : `: ${problem}`}`);
      // A browser whose GPU process was killed a few times computes without a GPU.
      if (cell.fault === 'GPU process killed' || !browser.isConnected()) {
        await browser.close().catch(() => undefined);
        browser = await launch();
      }
    }
  } finally {
    await browser.close().catch(() => undefined);
  }
  printLine(
    `${counts.equal} equal, ${counts.differ} differ, ${counts.impossible} cannot be, in ${minutesSince(began)}`,
  );
  return counts.differ === 0 ? 0 : 1;
}

export default simpleProgram<Options>(line, async ({ backend, only = '', kills, seed }) => {
  await ensureBuilt();
  const server = await serve({ port: 0 });
  const launch: Launch = () =>
    chromium.launch({ executablePath: ensureBrowser().executablePath, args: launchArguments('webgpu') });
  try {
    return await (kills === undefined
      ? runCells(launch, server.url, backend, only)
      : runKills(launch, server.url, kills, seed));
  } finally {
    await server.close();
  }
});
