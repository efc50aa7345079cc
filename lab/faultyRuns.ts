/** The runs of `npm run lab -- faults`. */
import type { Browser, Page } from 'playwright';
import { processesBelow } from '@rl-playground/run/disk';
import { addressWith, openAt, outcomeOf, pageReady, reachOneOf, stepOf, type Outcome } from './faultsPage.ts';
import { armFault, prepareFaults, wentWrong, type FaultName, type Moment } from './faultyWorkers.ts';

export const STEPS = 12;
/** Steps between evaluations. The first one is kept with the run, since nothing before was as good. */
const EVERY = 4;
/** The fault comes in the evaluation of this step, or in the step behind it. */
const BEFORE = 8;
/** The longest of one wait, in milliseconds. */
const PATIENCE = 120_000;

const SETTINGS: Readonly<Record<'wasm' | 'webgpu', Readonly<Record<string, string | number>>>> = {
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

/** Seconds after which a silent worker counts as broken, in place of the 20 and more that people's runs give it. */
const SHORT_DEADLINE = 2;

export interface Cell {
  readonly fault: FaultName;
  readonly moment: Moment;
  /** True if silence is waited for as long as in people's runs. */
  readonly realDeadline: boolean;
}

/** The fault comes once this step is made. */
function stepBehind(moment: Moment): number {
  // Short runs are kept behind the first evaluation, and then at their end.
  if (moment === 'saving') return EVERY;
  return moment === 'evaluating' ? BEFORE : BEFORE + 1;
}

/** Goes on with the kept run, if there is one, and trains. Resolves to the step that it goes on from. */
async function goOnWithKept(page: Page): Promise<number> {
  const kept = await page.evaluate(async () => (await window.rlPlayground?.kept.list())?.length);
  if (kept !== undefined && kept > 0) {
    await page
      .getByTestId('kept-run')
      .first()
      .getByRole('button', { name: /^(Continue|Open)/ })
      .click();
    await reachOneOf(page, ['paused', 'finished'], PATIENCE);
  }
  const step = await stepOf(page);
  const finished = await page.evaluate(() => window.rlPlayground?.controller.snapshot().phase === 'finished');
  if (!finished) await page.getByTestId('train-button').click();
  return step;
}

/** Runs on the built page: one that nothing is done to, and others that are broken once. */
export class FaultyRuns {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #settings: Readonly<Record<string, string | number>>;

  constructor(browser: Browser, url: string, backend: 'wasm' | 'webgpu') {
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

  /** The outcome of a run that is broken once, and the step from which it was resumed. */
  async broken({ fault, moment, realDeadline }: Cell): Promise<{ outcome: Outcome; repeated: number }> {
    const address = addressWith(
      this.#url,
      realDeadline ? this.#settings : { ...this.#settings, deadline: SHORT_DEADLINE },
    );
    // With a service worker between, the requests that are changed here hang after a crash. Without these a page opens at once.
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
        from = await goOnWithKept(page);
      } else if (fault === 'reload') {
        await page.waitForLoadState();
        await pageReady(page);
        from = await goOnWithKept(page);
      }
      // A person presses Train again where the page says that it takes that.
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
