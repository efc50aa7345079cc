/** How the page behaves: by keyboard alone, on a phone, while nobody looks, at its first paint. */
import type { Page } from '@playwright/test';
import { everyProof } from '../src/testing/proofs.ts';
import { expect, test } from './fixtures.ts';
import { reachLoaded, reachPhase, reachStep, snapshotOf } from './page.ts';

const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 16,
  evalSamples: 4,
  evalEvery: 0,
  numSteps: 400,
};

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.tagName.toLowerCase() ?? 'none');

test('by keyboard: Train within three tab stops, rates by factors, commands and help by a key, and the focus never on the body', async ({
  page,
  openPage,
}) => {
  await openPage({ ...SMALL, learningRate: 0.0003 });
  // Where nothing has the focus yet, a dialog that closes leaves it at Train.
  await page.keyboard.press('Control+k');
  await expect(page.getByTestId('command-field')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('train-button')).toBeFocused();

  await page.reload();
  await reachLoaded(page);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the charts' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByTestId('train-button')).toBeFocused();

  const rate = page.getByRole('spinbutton', { name: 'Learning rate', exact: true });
  await page.getByRole('button', { name: 'Twice the learning rate' }).click();
  await expect(rate).toHaveValue('0.0006');
  await page.getByRole('button', { name: 'Half the learning rate' }).click();
  await rate.press('PageDown');
  await expect(rate).toHaveValue('0.00015');

  // A run that is started from a setting locks it: the place is kept, and given back.
  await rate.focus();
  await page.keyboard.press('Control+Enter');
  await reachStep(page, 1);
  await expect(rate).toBeDisabled();
  expect(await focused(page)).not.toBe('body');
  await page.keyboard.press('Control+Enter');
  await reachPhase(page, 'paused');
  expect(await focused(page)).not.toBe('body');

  await page.keyboard.press('Control+k');
  await expect(page.getByTestId('command-field')).toBeFocused();
  await page.keyboard.type('stop');
  await page.keyboard.press('Enter');
  await reachPhase(page, 'stopped');
  await expect.poll(() => focused(page)).not.toBe('body');

  await page.getByTestId('train-button').focus();
  await page.keyboard.press('?');
  await expect(page.getByTestId('help-sheet')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('train-button')).toBeFocused();
  await page.keyboard.press('Control+k');
  for (const command of ['copy link', 'report', 'export: run directory']) {
    await page.getByTestId('command-field').fill(command);
    await expect(page.getByTestId('commands').getByRole('option').first()).toContainText(
      new RegExp(`^${command}`, 'i'),
    );
  }
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('command-field')).toBeHidden();
  await expect(page.getByTestId('train-button')).toBeFocused();

  // The first stop leads past the settings.
  await page.getByRole('link', { name: 'Skip to the charts' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  expect(new URL(page.url()).hash).toBe('');
});

test('the screen stays awake while a run is at work, and no longer', async ({ page, openPage }) => {
  // The browser's own lock, watched.
  await page.addInitScript(() => {
    const held = new Set<WakeLockSentinel>();
    Reflect.set(window, 'heldLocks', () => [...held].filter(({ released }) => !released).length);
    const request = navigator.wakeLock.request.bind(navigator.wakeLock);
    navigator.wakeLock.request = async (type) => {
      const lock = await request(type);
      held.add(lock);
      return lock;
    };
  });
  await openPage(SMALL);
  const held = () => page.evaluate(() => (Reflect.get(window, 'heldLocks') as () => number)());
  expect(await held()).toBe(0);
  await page.getByTestId('train-button').click();
  await reachStep(page, 1);
  expect(await held()).toBe(1);
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  await expect.poll(held).toBe(0);
});

test('the end of a run is notified to who asked for it and looks elsewhere', async ({
  page,
  openPage,
  context,
}) => {
  await context.grantPermissions(['notifications']);
  // The browser's own permission and notification, watched; a headless page always has the focus.
  await page.addInitScript(() => {
    const asked: string[] = [];
    const shown: string[] = [];
    Object.assign(window, { asked, shown });
    const request = Notification.requestPermission.bind(Notification);
    Notification.requestPermission = () => {
      asked.push('asked');
      return request();
    };
    window.Notification = new Proxy(Notification, {
      construct(target, words: [string, NotificationOptions?]) {
        shown.push(words[0]);
        return new target(...words);
      },
    });
    document.hasFocus = () => false;
  });
  const list = (name: 'asked' | 'shown') =>
    page.evaluate((key) => Reflect.get(window, key) as string[], name);
  await openPage({ ...SMALL, numSteps: 1 });
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  expect([await list('asked'), await list('shown')]).toEqual([[], []]);

  const bell = page.getByRole('button', { name: 'Notification when a run is done' });
  await bell.click();
  await expect(bell).toHaveAttribute('aria-pressed', 'true');
  expect(await list('asked')).toEqual(['asked']);
  await page.getByTestId('train-button').click();
  await expect.poll(() => list('shown')).toEqual(['RL Playground: finished']);
  await expect(page).toHaveTitle(/^1\/1 Finished/);
  await page.reload();
  await expect(bell).toHaveAttribute('aria-pressed', 'true');
});

test('without a GPU the page says how to get one, for this browser and system', async ({
  page,
  openPage,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
  });
  await openPage(SMALL);
  await page.getByTestId('adapter-line').click();
  await expect(page.getByTestId('device')).toContainText('No GPU found');
  await expect(page.getByTestId('gpu-help')).toContainText('chrome://settings/system');
});

test('a cold page is painted within a second of processor time, Train can be pressed by then, and half a second later the model is there', async ({
  page,
  browser,
}) => {
  // At the moment itself, not when this test looks.
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      const button = document.querySelector('[data-testid="train-button"]');
      const isPressable = button?.getAttribute('aria-disabled') === 'false';
      if (isPressable && performance.getEntriesByName('pressable').length === 0)
        performance.mark('pressable');
      if (document.querySelector('[data-testid="status"][data-phase="idle"]') === null) return;
      performance.mark('loaded');
      watch.disconnect();
    });
    watch.observe(document, {
      subtree: true,
      childList: true,
      attributeFilter: ['aria-disabled', 'data-phase'],
    });
  });
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing', 'loading'] });
  await page.goto('./?keep=off&backend=wasm');
  await reachLoaded(page);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: { name: string; pid: number; tid: number; ts: number; dur?: number; tdur?: number }[];
  };
  const pressable = traceEvents.find(({ name }) => name === 'pressable');
  const loaded = traceEvents.find(({ name }) => name === 'loaded');
  const paint = traceEvents.find(({ name, pid }) => name === 'firstContentfulPaint' && pid === loaded?.pid);
  if (!pressable || !loaded || !paint) throw new Error('The trace lacks a mark.');
  const before = (ts: number): number =>
    traceEvents
      .filter((e) => e.pid === loaded.pid && e.tid === loaded.tid && e.name.endsWith('RunTask') && e.ts < ts)
      .reduce((sum, { tdur = 0 }) => sum + tdur / 1000, 0);
  const [painted = 0, pressed = 0, there = 0] = await page.evaluate(() =>
    ['first-contentful-paint', 'pressable', 'loaded'].map(
      (name) => performance.getEntriesByName(name)[0]?.startTime,
    ),
  );
  const said = (what: string, { ts }: { ts: number }, clock: number): string =>
    `${what} after ${before(ts).toFixed(0)} ms of the main thread (${clock.toFixed(0)} ms on the clock)`;
  console.log(
    [
      said('first paint', paint, painted),
      said('Train', pressable, pressed),
      said('the model', loaded, there),
    ].join(', '),
  );
  expect(before(paint.ts)).toBeGreaterThan(5);
  expect(before(paint.ts)).toBeLessThanOrEqual(1000);
  // Two busy cores share their caches: what takes 1.1 s alone took 1.7 s beside other tests.
  expect(before(pressable.ts)).toBeLessThanOrEqual(everyProof ? 1000 : 1700);
  expect(before(loaded.ts)).toBeLessThanOrEqual(everyProof ? 1500 : 2500);
  expect((await snapshotOf(page)).phase).toBe('idle');
});
