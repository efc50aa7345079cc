/** The page answers while it trains: no task keeps the main thread from the person for long. */
import { markRun, tasksOf, TRACE_CATEGORIES } from '../cli/pageTasks.ts';
import { everyProof } from '../src/testing/proofs.ts';
import { expect, test } from './fixtures.ts';
import { reachPhase, reachStep } from './page.ts';

/** Milliseconds, on wasm, whose kernels block the thread they run on. */
const LONG_TASK = 50;
/** Of a task in which the browser collects its garbage, in one piece, as it does each dozen steps, with a busy machine's cold caches. */
const LONGEST_TASK = 150;
/** Tasks that may be long, of hundreds. */
const LONG_TASKS = everyProof ? 2 : 1;
/** By then the parts that a run brings have been drawn for the first time. */
const DRAWN = 2;
/** With an evaluation after each second step. */
const STEPS = everyProof ? 4 : 2;

test('no long task on the main thread in a default run', async ({ page, openPage, browser }) => {
  await openPage({ evalEvery: 2 });
  await markRun(page);
  await page.getByTestId('train-button').click();
  await reachStep(page, DRAWN);
  await browser.startTracing(page, { categories: TRACE_CATEGORIES });
  await reachStep(page, DRAWN + STEPS);
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  const tasks = tasksOf(await browser.stopTracing());
  const slowest = [...tasks].sort((a, b) => b.processor - a.processor).slice(0, 6);
  for (const { processor, clock, during } of slowest) {
    console.log(`${processor.toFixed(0)} ms of work, ${clock.toFixed(0)} ms on the clock: ${during}`);
  }
  console.log(`longest on the clock: ${Math.max(...tasks.map(({ clock }) => clock)).toFixed(0)} ms`);
  expect(tasks.length).toBeGreaterThan(100);
  expect(slowest[0]?.processor).toBeGreaterThan(1);
  expect(tasks.filter(({ processor }) => processor > LONG_TASK).length).toBeLessThanOrEqual(LONG_TASKS);
  expect(slowest[0]?.processor).toBeLessThanOrEqual(LONGEST_TASK);
});
