/** On a host that sends no headers a service worker supplies those that threads need. Where it is refused: smoke.spec.ts. */
import { expect, test } from './fixtures.ts';
import { reachPhase } from './page.ts';

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
  await expect(page.getByTestId('train-button')).toBeEnabled({ timeout: 120_000 });
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
