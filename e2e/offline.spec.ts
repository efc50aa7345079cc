/** The page without a network: from the second visit on, by what its service worker keeps. */
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { expect, test } from './fixtures.ts';
import { reachPhase } from './page.ts';

test.use({ serviceWorkers: 'allow', expectedErrors: /ERR_INTERNET_DISCONNECTED|Failed to fetch/ });

test('the second visit works offline, with what the first one used and no more', async ({
  page,
  context,
}) => {
  await page.goto(
    `./?v=${SETTINGS_VERSION}&task=reverse_digits&numSteps=1&problemsPerStep=2&evalSamples=2&passAtK=1&backend=wasm`,
  );
  await expect(page.locator('html')).toHaveAttribute('data-offline', 'kept');
  const models = await page.evaluate(async () => {
    const found: string[] = [];
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys())
        if (url.includes('/models/')) found.push(new URL(url).pathname.split('/').at(-2) ?? '');
    return [...new Set(found)];
  });
  expect(models, 'models that were kept').toEqual(['starter']);

  await context.setOffline(true);
  // Not even the browser's HTTP cache answers.
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await page.reload();
  await reachPhase(page, 'idle');
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await expect(page.getByTestId('chart-reward')).toHaveAttribute('data-points', '1');
  await context.setOffline(false);
});

test('files whose names are hashes may be kept for good by every cache, the page itself by none', async ({
  request,
}) => {
  const html = await request.get('./');
  expect(html.headers()['cache-control'] ?? '').not.toContain('immutable');
  const named = new Set((await html.text()).match(/assets\/[\w.-]+/g));
  expect(named.size).toBeGreaterThan(1);
  for (const path of named) {
    const asset = await request.get(`./${path}`);
    expect(asset.headers()['cache-control']).toBe('public, max-age=31536000, immutable');
  }
});
