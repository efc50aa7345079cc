/** Generators that run out of memory, hang or stay silent: another answers in their place, the step is not counted, or the page waits in words. */
import type { Page, Worker as WorkerOfPage } from '@playwright/test';
import { fetchedAnswer } from '@rl-playground/base/testing/fetchedAnswer';
import { breakWorkers } from './breakWorkers.ts';
import { expect, slowTest, test } from './fixtures.ts';
import { stateOf } from './checkpoint.ts';
import { download, notice, reachPhase, reachStep, snapshotOf } from './page.ts';

const SETTINGS = {
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalSamples: 1,
  numGenerators: 1,
  numSteps: 2,
};

slowTest(
  'a generator out of memory is replaced; the third over the same answers ends the step, and the run then goes on',
  async ({ page, openPage }) => {
    // `src/engine/rollout/workerPool.gpu.test.ts` has the replacement and the third break without the page.
    await openPage(SETTINGS);
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    const undisturbed = stateOf(await download(page));

    await openPage(SETTINGS);
    await breakWorkers(page, 3);
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'failed');
    await expect(notice(page, 'broke 3 times over the same answers')).toContainText('allocation failed');
    const failed = await snapshotOf(page);
    expect(failed.step).toBeLessThan(SETTINGS.numSteps);
    expect(failed.metrics).toHaveLength(failed.step);
    await page.getByTestId('train-button').click();
    await reachStep(page, 2);
    await reachPhase(page, 'finished');
    expect(stateOf(await download(page))).toEqual(undisturbed);
  },
);

/** True if a worker is a generator. Threads of the trainer answer no requests. */
const isGenerator = (worker: WorkerOfPage): boolean => /\/worker-[^/]*\.js/.test(worker.url());

/** Makes a generator run out of memory now. */
async function exhaust(worker: WorkerOfPage): Promise<void> {
  await worker.evaluate(() => {
    setTimeout(() => {
      throw new RangeError('Array buffer allocation failed');
    });
  });
}

const exhaustAll = async (page: Page): Promise<void> => {
  await Promise.all(page.workers().filter(isGenerator).map(exhaust));
};

slowTest(
  'a generator that runs out of memory while it loads, while the trainer trains and while a checkpoint is made is replaced each time',
  async ({ page, openPage }) => {
    // The test before this one breaks generators that answer.
    await openPage(SETTINGS);
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    const undisturbed = stateOf(await download(page));

    await openPage(SETTINGS);
    let started = 0;
    page.on('worker', (worker) => {
      if (!isGenerator(worker)) return;
      started++;
      if (started === 1) void exhaust(worker);
    });
    let broken: Promise<unknown> = Promise.resolve();
    await page.exposeFunction('exhaustAll', () => (broken = exhaustAll(page)));
    await page.evaluate(() => {
      const controller = window.rlPlayground?.controller;
      const stop = controller?.subscribe(() => {
        if (controller.snapshot().progress?.label.startsWith('Trainer') !== true) return;
        stop?.();
        (Reflect.get(window, 'exhaustAll') as () => void)();
      });
    });
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    await broken;
    expect(started).toBeGreaterThanOrEqual(3);
    expect((await snapshotOf(page)).metrics).toHaveLength(SETTINGS.numSteps);
    const [saved] = await Promise.all([download(page), exhaustAll(page)]);
    expect(stateOf(saved)).toEqual(undisturbed);
    expect((await snapshotOf(page)).phase).toBe('finished');
  },
);

/** The number of requests that a generator answers before the one at which it hangs. */
const SOUND_REQUESTS = 6;

/** Code put before the program of a generator: it spins for ever at the first answer after `requests` requests, and says so before. */
const spinAfter = (requests: number): string => `{
  const post = globalThis.postMessage.bind(globalThis);
  let done = 0;
  globalThis.postMessage = (message, ...rest) => {
    post(message, ...rest);
    if (message.type === 'done') done++;
    if (message.type !== 'progress' || done < ${requests}) return;
    new BroadcastChannel('hanging').postMessage(null);
    for (;;);
  };
}
`;

/**
 * Makes each generator of the page spin for ever over an answer: the first ones over an answer of their seventh request, which belongs to
 * training, and their replacements over their first. The returned function says how many generators were started.
 */
async function hangGenerators(page: Page, generators: number): Promise<() => number> {
  await page.evaluate(() => {
    let hanging = 0;
    new BroadcastChannel('hanging').addEventListener('message', () =>
      Reflect.set(window, 'hanging', ++hanging),
    );
  });
  let started = 0;
  await page.route(/\/worker-[^/]*\.js$/, async (route) => {
    const requests = started++ < generators ? SOUND_REQUESTS : 0;
    const response = await fetchedAnswer(route);
    return route.fulfill({ response, body: `${spinAfter(requests)}${await response.text()}` });
  });
  return () => started;
}

/**
 * Makes the page record the timers that fire, by their milliseconds. The returned function gives those that were set since its last call
 * and have fired.
 */
async function watchAlarms(page: Page): Promise<() => Promise<readonly number[]>> {
  await page.evaluate(() => {
    let struck: number[] = [];
    const set = window.setTimeout.bind(window);
    const watched = (ring: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]): number => {
      const since = struck;
      return set(() => {
        since.push(milliseconds);
        ring(...given);
      }, milliseconds);
    };
    Object.assign(window, {
      setTimeout: watched,
      struckSince: () => {
        const before = struck;
        struck = [];
        return before;
      },
    });
  });
  return () => page.evaluate(() => (Reflect.get(window, 'struckSince') as () => number[])());
}

/** The silence after which a generator that was told to stop is replaced: a second, in four parts of 250 ms. */
const SILENCE = { part: 250, parts: 4 };
/** The longest wait for anyone after a stop, milliseconds. */
const LONGEST = 1500;

test('whatever generators do, Stop and Reset wait for no alarm of more than 1.5 s, and others stand in the place of those that hang', async ({
  page,
  openPage,
}) => {
  const generators = 2;
  await openPage({ ...SETTINGS, deadline: 20, numGenerators: generators, numSteps: 100_000 });
  const started = await hangGenerators(page, generators);
  const struck = await watchAlarms(page);
  await page.getByTestId('train-button').click();
  await page.waitForFunction(() => Number(Reflect.get(window, 'hanging')) >= 1);
  expect((await snapshotOf(page)).step).toBeGreaterThan(0);
  expect(started()).toBe(generators);
  await struck();
  await page.getByTestId('stop-button').click();
  await reachPhase(page, 'stopped');
  await expect(notice(page, 'Stopped without a final evaluation')).toBeVisible();
  const ofStop = await struck();
  expect(ofStop.filter((milliseconds) => milliseconds === SILENCE.part).length).toBeGreaterThanOrEqual(
    SILENCE.parts,
  );
  expect(Math.max(...ofStop)).toBeLessThanOrEqual(LONGEST);
  expect(started()).toBeGreaterThan(generators);
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  expect(Math.max(0, ...(await struck()))).toBeLessThanOrEqual(LONGEST);
});

test('workers that never say a word are waited for in words, from ten seconds on', async ({
  page,
  openPage,
}) => {
  await page.addInitScript(() => {
    const post = Reflect.get(Worker.prototype, 'postMessage') as (this: Worker, ...given: unknown[]) => void;
    // Requests for answers never reach a generator.
    Worker.prototype.postMessage = function (message: object, ...rest: unknown[]) {
      if (Reflect.get(message, 'type') !== 'generate') post.call(this, message, ...rest);
    };
  });
  await openPage(SETTINGS);
  await page.clock.install();
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'evaluating');
  const status = page.getByTestId('status');
  await expect
    .poll(async () => {
      await page.clock.fastForward(1000);
      return status.textContent();
    })
    .toMatch(/No update for \d{2} s; the page keeps waiting\. A generator that does not respond is replaced/);
});
