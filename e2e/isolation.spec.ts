/** On a host that sends no headers a service worker supplies those that threads need. Where it is refused: smoke.spec.ts. */
import { expect, test } from './fixtures.ts';
import { holdBack, reachLoaded, reachPhase } from './page.ts';

test.use({ serviceWorkers: 'allow', expectedErrors: /status of 404/ });

test('a static host’s page has threads from its first visit on, by one reload', async ({
  page,
  context,
  openPage,
}) => {
  let loads = 0;
  page.on('load', () => loads++);
  await page.goto('./?keep=off');
  await expect.poll(() => page.evaluate(() => crossOriginIsolated).catch(() => false)).toBe(true);
  await reachLoaded(page);
  expect(loads).toBe(2);
  await expect(page.getByTestId('adapter-line')).toContainText(/\d+ threads/);

  await openPage({ task: 'reverse_digits', problemsPerStep: 2, evalSamples: 2, numSteps: 1 });
  expect(loads).toBe(3);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const other = await context.newPage();
  await other.goto('./');
  expect(await other.evaluate(() => crossOriginIsolated)).toBe(true);
  // A missing file is still one.
  expect(await other.evaluate(async () => (await fetch('./models/none.json')).status)).toBe(404);
});

test('a run that is asked for before that reload begins after it', async ({ page }) => {
  const letThrough = await holdBack(page, '**/assets/engine-*.js');
  await page.goto('./?keep=off&task=reverse_digits&problemsPerStep=2&evalSamples=2&numSteps=1');
  const train = page.getByTestId('train-button');
  await train.click();
  await expect(train).toHaveText('Cancel');
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  letThrough();
  await reachPhase(page, 'finished');
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
});
