/** Generators that run out of memory: another answers in their place, or the step is not counted. */
import type { Page, Worker } from '@playwright/test';
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

/** Breaks the page's first `count` workers that answer a request, each by an error that nobody catches there. */
function breakWorkers(page: Page, count: number): void {
  let left = count;
  page.on('worker', (worker: Worker) => {
    if (left === 0) return;
    worker
      .evaluate(
        () =>
          new Promise<void>((resolve) => {
            const post = globalThis.postMessage.bind(globalThis);
            globalThis.postMessage = (message: { type: string }) => {
              if (message.type !== 'progress') return post(message);
              resolve();
              setTimeout(() => {
                throw new RangeError('Array buffer allocation failed');
              });
            };
          }),
      )
      .then(
        () => (left -= 1),
        () => undefined,
      );
  });
}

test('a generator out of memory is replaced; the third over the same answers ends the step, and the run then goes on', async ({
  page,
  openPage,
}) => {
  await openPage(SETTINGS);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const undisturbed = stateOf(await download(page));

  await openPage(SETTINGS);
  breakWorkers(page, 3);
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
