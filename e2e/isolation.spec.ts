/** A service worker supplies the headers that threads need on a host that sends none. smoke.spec.ts has the browser that refuses it. */
import { expect, NO_HURRY, test } from './fixtures.ts';
import { holdBack, reachPhase } from './page.ts';

test.use({ serviceWorkers: 'allow', expectedErrors: /status of 404/ });

test('a static host’s page has threads from its first visit on, by one reload', async ({ page, context }) => {
  let loads = 0;
  page.on('load', () => loads++);
  const letThrough = await holdBack(page, '**/assets/engine-*.js');
  await page.goto(`./?keep=off&deadline=${NO_HURRY.deadline}`);
  await expect(page.getByTestId('train-button')).toHaveAttribute('aria-disabled', 'true');
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  letThrough();
  await reachPhase(page, 'idle');
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(loads).toBe(2);
  await expect(page.getByTestId('adapter-line')).toContainText(/\d+ threads/);

  // Later pages need no reload.
  const other = await context.newPage();
  let ofOther = 0;
  other.on('load', () => ofOther++);
  await other.goto('./');
  await reachPhase(other, 'idle');
  expect(await other.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(ofOther).toBe(1);
  // A missing file is still one.
  expect(await other.evaluate(async () => (await fetch('./models/none.json')).status)).toBe(404);
});
