/** Kills at random moments, seeded: of the page that trains, by its tab's death or a reload, and of the command line, by SIGKILL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { drawsFor } from '@rl-playground/base/random';
import { readMetricsLog } from '@rl-playground/run/records';
import { timeless } from '@rl-playground/run/metrics';
import {
  addressWith,
  differenceOf,
  openAt,
  outcomeOf,
  reachOneOf,
  sha256,
  stepOf,
  type Outcome,
} from './faultsPage.ts';
import { repository } from '../src/cli/tools.ts';

const STEPS = 60;
const KILLS_PER_RUN = 3;
/** Of one wait, milliseconds. */
const PATIENCE = 180_000;
/** Milliseconds in which a run of this length is killed, from where it begins or goes on. */
const SOONEST = 300;
const LATEST = 6000;

const SETTINGS = {
  task: 'reverse_digits',
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalSamples: 4,
  evalEvery: 10,
  seed: 3,
};

/** What came of a run that was killed. */
type Killed = Pick<KilledRun, 'repeated' | 'seconds' | 'kills'> & { readonly outcome: Outcome };

/** What one run came to. */
export interface KilledRun {
  readonly name: string;
  readonly kills: number;
  /** Most steps that were made again after a kill. */
  readonly repeated: number;
  /** Most seconds between a kill and the commit behind it; null of the command line, which keeps a checkpoint every fifth step here. */
  readonly seconds: number | null;
  /** Null where it equals the run that nothing was done to. */
  readonly problem: string | null;
}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Goes on with the run that is kept, where there is one, and trains. Resolves to the step that it goes on from, and when that was kept. */
export async function goOnWithKept(
  page: Page,
): Promise<{ readonly step: number; readonly kept: number | null }> {
  const kept = await page.evaluate(
    async () => (await window.rlPlayground?.kept.list())?.[0]?.newest.kept ?? null,
  );
  if (kept !== null) {
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
  return { step, kept };
}

async function pageRun(browser: Browser, url: string, kills: number, draw: () => number): Promise<Killed> {
  const address = addressWith(url, { backend: 'wasm', numSteps: STEPS, ...SETTINGS });
  const context = await browser.newContext();
  try {
    let page = await context.newPage();
    await openAt(page, address);
    await page.getByTestId('train-button').click();
    let repeated = 0;
    let seconds = 0;
    let began = Date.now();
    let made = 0;
    for (; made < kills; made++) {
      await wait(SOONEST + (LATEST - SOONEST) * draw());
      const before = await stepOf(page);
      if (before === STEPS) break;
      const killed = Date.now();
      if (draw() < 0.5) {
        const session = await context.newCDPSession(page);
        const crashed = page.waitForEvent('crash');
        // Nobody is left to answer.
        void session.send('Page.crash').catch(() => undefined);
        await crashed;
      }
      await page.close({ runBeforeUnload: false });
      page = await context.newPage();
      await openAt(page, address);
      const from = await goOnWithKept(page);
      repeated = Math.max(repeated, before - from.step);
      seconds = Math.max(seconds, (killed - Math.max(began, from.kept ?? 0)) / 1000);
      began = Date.now();
    }
    await reachOneOf(page, ['finished'], PATIENCE);
    return { outcome: await outcomeOf(page), repeated, seconds, kills: made };
  } finally {
    await context.close();
  }
}

function startProgram(words: readonly string[]) {
  return spawn(process.execPath, [join(repository, 'src/cli/run.mjs'), 'train', ...words], {
    stdio: 'ignore',
  });
}

const metricsIn = (out: string) => {
  try {
    return readMetricsLog(readFileSync(join(out, 'metrics.jsonl'), 'utf8'));
  } catch {
    return [];
  }
};

function outcomeIn(out: string): Outcome {
  const names = ['model.safetensors', 'optimizer.safetensors', 'reference.safetensors'];
  return {
    files: Object.fromEntries(
      names.map((name) => [name, sha256(readFileSync(join(out, 'final_model', name)))]),
    ),
    metrics: timeless(metricsIn(out)).map((record) => JSON.stringify(record)),
    evaluations: [],
  };
}

/** Until the log has grown by a step, so that there is something to kill; false where the program ended first. */
async function trains(out: string, from: number, ended: Promise<unknown>): Promise<boolean> {
  let over = false;
  void ended.then(() => (over = true));
  while (!over && metricsIn(out).length <= from) await wait(50);
  return !over;
}

async function programRun(kills: number, draw: () => number): Promise<Killed> {
  const scratch = mkdtempSync(join(tmpdir(), 'rl-playground-kills-'));
  const out = join(scratch, 'run');
  try {
    const words = Object.entries(SETTINGS).flatMap(([key, value]) =>
      key === 'task' ? ['--task', `${value}`] : [`${key}=${value}`],
    );
    let child = startProgram([
      ...words,
      '--num-steps',
      `${STEPS}`,
      '--backend',
      'wasm',
      '--out',
      out,
      'saveSteps=5',
    ]);
    let ended = once(child, 'exit');
    let repeated = 0;
    let made = 0;
    for (; made < kills; made++) {
      if (!(await trains(out, metricsIn(out).length, ended))) break;
      await wait(LATEST * draw() * 0.5);
      if (child.exitCode !== null) break;
      child.kill('SIGKILL');
      await ended;
      const before = metricsIn(out).length;
      child = startProgram(['--resume', out]);
      ended = once(child, 'exit');
      // Steps past the last checkpoint are cut before it goes on.
      while (
        child.exitCode === null &&
        metricsIn(out).length >= before &&
        before > 0 &&
        metricsIn(out).length < STEPS
      )
        await wait(20);
      repeated = Math.max(repeated, before - metricsIn(out).length);
    }
    await ended;
    if (child.exitCode !== 0) throw new Error(`The program ended with exit code ${child.exitCode}.`);
    return { outcome: outcomeIn(out), repeated, seconds: null, kills: made };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs of 60 steps, page and command line in turn, until there were `kills`; yields each as it ends. */
export async function* killedRuns(
  browser: Browser,
  url: string,
  kills: number,
  seed: number,
): AsyncGenerator<KilledRun> {
  const draw = drawsFor(seed);
  const kinds = {
    page: (count: number) => pageRun(browser, url, count, draw),
    'command line': (count: number) => programRun(count, draw),
  };
  const expected = {
    page: (await kinds.page(0)).outcome,
    'command line': (await kinds['command line'](0)).outcome,
  };
  for (let left = kills, turn = 0; left > 0; turn++) {
    const kind = turn % 2 === 0 ? 'page' : 'command line';
    const found = await kinds[kind](Math.min(KILLS_PER_RUN, left));
    left -= found.kills;
    yield {
      name: `${kind}, killed ${found.kills} times`,
      kills: found.kills,
      repeated: found.repeated,
      seconds: found.seconds,
      problem: differenceOf(found.outcome, expected[kind]),
    };
  }
}
