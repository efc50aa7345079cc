/** Generators that run out of memory: another answers in their place, or the step is not counted. */
import type { Page, Worker } from '@playwright/test';
import { breakWorkers } from './breakWorkers.ts';
import { everyProof } from '../src/testing/proofs.ts';
import { expect, test } from './fixtures.ts';
import { stateOf } from './checkpoint.ts';
import { download, notice, reachPhase, reachStep, snapshotOf } from './page.ts';

const SETTINGS = {
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalSamples: 1,
  numGenerators: 1,
  numSteps: 2,
};

test('a generator out of memory is replaced; the third over the same answers ends the step, and the run then goes on', async ({
  page,
  openPage,
}) => {
  // `src/rollout/workerPool.gpu.test.ts` has the replacement and the third break without the page.
  test.skip(!everyProof, 'with PROOFS=all');
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
});

/** Whether a worker is a generator, and no thread of the trainer, which answers nobody. */
const isGenerator = (worker: Worker): boolean => /\/worker-[^/]*\.js/.test(worker.url());

/** Has a generator run out of memory, now. */
async function exhaust(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    setTimeout(() => {
      throw new RangeError('Array buffer allocation failed');
    });
  });
}

const exhaustAll = async (page: Page): Promise<void> => {
  await Promise.all(page.workers().filter(isGenerator).map(exhaust));
};

test('a generator that runs out of memory while it loads, while the trainer trains and while a checkpoint is made is replaced each time', async ({
  page,
  openPage,
}) => {
  // The test before this one breaks generators that answer.
  test.skip(!everyProof, 'with PROOFS=all');
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
});

/** Has each generator of the page spin for ever over an answer: the first ones over that of their twenty-first request, which is one of training, those in their place over the first. */
async function hangGenerators(page: Page, generators: number): Promise<void> {
  await page.evaluate(() => {
    let hanging = 0;
    new BroadcastChannel('hanging').addEventListener('message', () =>
      Reflect.set(window, 'hanging', ++hanging),
    );
  });
  let started = 0;
  page.on('worker', (worker) => {
    if (!isGenerator(worker)) return;
    const requests = started++ < generators ? 20 : 0;
    worker
      .evaluate((sound) => {
        let done = 0;
        const post = globalThis.postMessage.bind(globalThis);
        globalThis.postMessage = (message: { type: string }) => {
          post(message);
          if (message.type === 'done') done++;
          if (message.type !== 'progress' || done < sound) return;
          new BroadcastChannel('hanging').postMessage(null);
          for (;;);
        };
      }, requests)
      .catch(() => undefined);
  });
}

/** Beside other tests the page has a fraction of a core; PROOFS=all on an idle machine holds it to what is promised. */
const ENDED_MILLISECONDS = everyProof ? 5000 : 20_000;

test('whatever generators do, Stop and Reset end within 5 s', async ({ page, openPage }) => {
  await openPage({ ...SETTINGS, numGenerators: 2, numSteps: 60 });
  await hangGenerators(page, 2);
  await page.getByTestId('train-button').click();
  await page.waitForFunction(() => Number(Reflect.get(window, 'hanging')) >= 1);
  expect((await snapshotOf(page)).step).toBeGreaterThan(0);
  let began = Date.now();
  await page.getByTestId('stop-button').click();
  await reachPhase(page, 'stopped');
  expect(Date.now() - began).toBeLessThan(ENDED_MILLISECONDS);
  await expect(notice(page, 'Stopped without a last evaluation')).toBeVisible();
  began = Date.now();
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  expect(Date.now() - began).toBeLessThan(ENDED_MILLISECONDS);
});
