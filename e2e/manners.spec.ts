/** The page's manners: it works by keyboard alone, and while nobody looks. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { reachLoaded, reachPhase, reachStep, shownStep, snapshotOf } from './page.ts';

const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 16,
  evalSamples: 4,
  evalEvery: 0,
  // More than are ever made.
  numSteps: 100_000,
};

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.tagName.toLowerCase() ?? 'none');

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, testId: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const target = page.getByTestId(testId);
  for (let presses = 0; presses < 30; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`30 presses of ${key} did not reach ${testId}.`);
}

/** The browser's own lock of the screen, watched. What is given back says how many are held. */
async function watchWakeLocks(page: Page): Promise<() => Promise<number>> {
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
  return () => page.evaluate(() => (Reflect.get(window, 'heldLocks') as () => number)());
}

test('a run by keyboard alone: Train within three tab stops, rates by factors, commands and help by a key, and the focus never on the body; the screen stays awake while a run is at work', async ({
  page,
  openPage,
}) => {
  const locks = await watchWakeLocks(page);
  await openPage({ ...SMALL, task: 'sum_digits', learningRate: 0.0003 });
  // A dialog that closes gives the focus to Train if nothing had it before.
  await page.keyboard.press('Control+k');
  await expect(page.getByTestId('command-field')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('train-button')).toBeFocused();

  await page.reload();
  await reachLoaded(page);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the charts' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('tab', { name: 'Train' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByTestId('train-button')).toBeFocused();
  const outline = await page
    .getByTestId('train-button')
    .evaluate((button) => getComputedStyle(button).outlineStyle);
  expect(outline, 'the focus can be seen').not.toBe('none');
  await tabTo(page, 'task-select');
  await page.keyboard.press('R');
  await expect(page.getByTestId('task-select')).toHaveValue('reverse_digits');
  await tabTo(page, 'train-button', 'Shift+Tab');

  const rate = page.getByRole('spinbutton', { name: 'Learning rate', exact: true });
  await rate.press('PageUp');
  await expect(rate).toHaveValue('0.0006');
  for (const _ of [1, 2]) await rate.press('PageDown');
  await expect(rate).toHaveValue('0.00015');

  // A run that is started from a setting locks it: the place is kept, and given back.
  await rate.focus();
  expect(await locks()).toBe(0);
  await page.keyboard.press('Control+Enter');
  await reachStep(page, 1);
  await expect(rate).toBeDisabled();
  expect(await focused(page)).not.toBe('body');
  // The browser grants it when it likes.
  await expect.poll(locks).toBe(1);
  await page.keyboard.press('Control+Enter');
  await reachPhase(page, 'paused');
  expect(await focused(page)).not.toBe('body');
  await expect.poll(locks).toBe(0);
  expect((await snapshotOf(page)).config?.task).toBe('reverse_digits');

  let held = await shownStep(page);
  await page.getByTestId('train-button').focus();
  await page.keyboard.press('Enter');
  await reachStep(page, held + 1);
  // The button has become Pause and kept the focus.
  await expect(page.getByRole('button', { name: 'Pause' })).toBeFocused();
  await page.keyboard.press('Space');
  await reachPhase(page, 'paused');
  held = await shownStep(page);
  await tabTo(page, 'step-button');
  await page.keyboard.press('Enter');
  await reachStep(page, held + 1);
  await reachPhase(page, 'paused');
  await tabTo(page, 'stop-button');
  await page.keyboard.press('Enter');
  await reachPhase(page, 'stopped');
  await page.keyboard.press('Control+Enter');
  await reachStep(page, held + 2);

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
  for (const command of ['copy link', 'report', 'run directory']) {
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
  await expect(page.getByRole('region', { name: 'Charts and answers' })).toBeFocused();
  expect(new URL(page.url()).hash).toBe('');
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
