/** The page by keyboard, by its labels, on a phone and in the dark. */
import type { Page } from '@playwright/test';
import { SETTINGS_VERSION } from '../src/config/settingsVersion.ts';
import { expect, test } from './fixtures.ts';
import { unreadable } from './contrast.ts';
import {
  CHART_FOLDS,
  inScheme,
  openFold,
  reachPhase,
  reachStep,
  shownStep,
  snapshotOf,
  status,
} from './page.ts';

const SMALL = { problemsPerStep: 4, evalSamples: 10, numSteps: 1000 };

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, testId: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const target = page.getByTestId(testId);
  for (let presses = 0; presses < 30; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`30 presses of ${key} did not reach ${testId}.`);
}

test('a run by keyboard alone', async ({ page, openPage }) => {
  await openPage(SMALL);
  await tabTo(page, 'task-select');
  await page.keyboard.press('R');
  await expect(page.getByTestId('task-select')).toHaveValue('reverse_digits');
  await tabTo(page, 'train-button', 'Shift+Tab');
  const outline = await page
    .getByTestId('train-button')
    .evaluate((button) => getComputedStyle(button).outlineStyle);
  expect(outline, 'the focus can be seen').not.toBe('none');
  await page.keyboard.press('Enter');
  await reachStep(page, 1);
  // The button has become Pause and kept the focus.
  await expect(page.getByRole('button', { name: 'Pause' })).toBeFocused();
  await page.keyboard.press('Space');
  await reachPhase(page, 'paused');
  const held = await shownStep(page);
  await tabTo(page, 'step-button');
  await page.keyboard.press('Enter');
  await reachStep(page, held + 1);
  await reachPhase(page, 'paused');
  await page.keyboard.press('Control+Enter');
  await reachStep(page, held + 2);
  await page.keyboard.press('Control+Enter');
  await reachPhase(page, 'paused');
  await tabTo(page, 'stop-button');
  await page.keyboard.press('Enter');
  await reachPhase(page, 'stopped');
  expect((await snapshotOf(page)).config?.task).toBe('reverse_digits');
});

test('a part of the page that can not be fetched is said where it would stand, and the run goes on', async ({
  page,
  openPage,
}) => {
  await page.route('**/assets/GroupCharts-*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("no such file");' }),
  );
  await openPage({ ...SMALL, numSteps: 2 });
  await openFold(page, 'Optimizer');
  const charts = page.getByRole('region', { name: 'More charts' });
  await expect(charts.getByRole('alert')).toContainText('could not be fetched (no such file)');
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  expect(await shownStep(page)).toBe(2);
});

test('what is folded is there at once after the start, whatever can be operated has a name, and the status is spoken', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  await expect(page.getByTestId('chart-reward').getByRole('button', { name: /options/ })).toBeVisible();
  // The part that is drawn last, when all others are fetched; what is inside it may still be on its way.
  await expect(page.getByRole('region', { name: 'For a class' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await openFold(page, 'More settings');
  await openFold(page, 'Optimizer');
  await expect(page.getByLabel('Preset', { exact: true })).toBeVisible();
  await expect(page.getByTestId('chart-grad-norm')).toBeVisible();
  expect(asked, 'files asked for after the clicks').toEqual([]);

  // The drawer is searched by name or meaning, and shows what was changed alone.
  const drawer = page.getByRole('complementary', { name: 'More settings' });
  const found = drawer.getByRole('status');
  const all = Number(/^(\d+) settings$/.exec((await found.textContent()) ?? '')?.[1]);
  expect(all).toBeGreaterThan(40);
  await drawer.getByRole('searchbox').fill('held-out');
  await expect(found).toHaveText(new RegExp(`^\\d+ of ${all} settings$`));
  await expect(drawer.getByLabel('Evaluation problems', { exact: true })).toBeVisible();
  await expect(drawer.getByLabel('Preset', { exact: true })).toHaveCount(0);
  await drawer.getByRole('searchbox').fill('');
  await drawer.getByRole('switch', { name: 'Changed only' }).click();
  await expect(found).toHaveText(new RegExp(`^[1-5] of ${all} settings$`));
  await expect(drawer.getByLabel('Evaluation problems', { exact: true })).toHaveValue('10');
  // What has its place on the page is found here too, and shown there.
  const elsewhere = drawer.getByTestId('settings-elsewhere').getByRole('button');
  await expect(elsewhere.filter({ hasText: 'Problems per step' })).toBeVisible();
  await drawer.getByRole('switch', { name: 'Changed only' }).click();
  await drawer.getByRole('searchbox').fill('a');
  for (const link of await elsewhere.all()) {
    const label = await link.innerText();
    await link.click();
    await expect(page.locator(':focus'), label).toHaveAttribute('data-setting', /./);
    await expect(page.locator(':focus')).toBeInViewport();
  }
  await drawer.getByRole('searchbox').fill('');
  // One line, whatever the device is called.
  const chip = page.getByTestId('adapter-line');
  await expect(chip).toHaveText(/^(CPU · \d+ threads?|WebGPU · .+)$/);
  expect((await chip.boundingBox())?.height).toBeLessThan(40);

  for (const role of [
    'button',
    'combobox',
    'spinbutton',
    'radio',
    'radiogroup',
    'switch',
    'textbox',
  ] as const) {
    const all = page.getByRole(role);
    const count = await all.count();
    for (let index = 0; index < count; index++) await expect(all.nth(index)).toHaveAccessibleName(/\S/);
  }
  await expect(page.getByRole('heading', { level: 1, name: 'RL Playground' })).toBeVisible();
  await expect(page.getByRole('main')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'Ready' })).toBeAttached();
  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  await expect(page.getByRole('status').filter({ hasText: 'Paused' })).toBeAttached();
  await expect(page.getByRole('figure', { name: /Reward.* at step 1/ })).toBeVisible();

  await drawer.getByRole('searchbox').focus();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(page.getByRole('button', { name: 'More settings' })).toBeFocused();
});

test('a phone of 360 pixels shows everything without scrolling sideways, readable whether the system asks for light or dark', async ({
  page,
  openPage,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openPage(SMALL);
  const readable = async (): Promise<void> => {
    for (const scheme of ['light', 'dark'] as const) {
      await inScheme(page, scheme);
      await expect.poll(() => page.evaluate(unreadable)).toEqual([]);
    }
  };
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBe(360);
  await expect(page.getByTestId('train-button')).toBeInViewport({ ratio: 1 });
  await expect(status(page)).toBeInViewport({ ratio: 1 });
  await readable();
  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  await reachPhase(page, 'paused');
  await page.getByText('Settings', { exact: true }).click();
  await openFold(page, 'More settings');
  await expect(page.getByLabel('Preset', { exact: true })).toBeVisible();
  expect(await width()).toBe(360);
  await readable();
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('steps');
  await page.getByRole('button', { name: 'Steps', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'More settings' })).toHaveCount(0);
  await expect(page.getByRole('spinbutton', { name: 'Steps', exact: true })).toBeFocused();
  await openFold(page, 'More settings');
  await page.keyboard.press('Escape');
  for (const title of CHART_FOLDS) await openFold(page, title);
  await expect(page.getByTestId('chart-busy')).toBeVisible();
  await expect(page.getByTestId('rollouts').getByRole('article').first()).toBeVisible();
  expect(await width()).toBe(360);
  await page.setViewportSize({ width: 1280, height: 900 });
  await readable();
});

test.describe('a broken page', () => {
  // React says each error that it meets while it draws.
  test.use({ expectedErrors: /Minified React error #31/ });

  test('a page that can not be drawn gives out its run and its diagnostics, and is drawn again while the run goes on', async ({
    page,
    openPage,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openPage({ ...SMALL, numSteps: 1000 });
    await page.getByTestId('train-button').click();
    await reachStep(page, 1);
    // What is drawn next is no snapshot; the engine has its own.
    await page.evaluate(() => {
      const controller = window.rlPlayground?.controller;
      const sound = controller?.snapshot.bind(controller);
      if (!controller || !sound) return;
      // One notice, not a new one in each snapshot: the diagnostics keep the last fifty things that happened.
      const notices = [{ id: 'x', kind: 'info', title: {}, text: {} }];
      const broken = (): object => ({ ...sound(), notices });
      Reflect.set(controller, 'snapshot', broken);
      Reflect.set(window, 'mend', () => Reflect.set(controller, 'snapshot', sound));
    });
    await expect(page.getByRole('heading', { name: 'The page could not be drawn' })).toBeVisible();
    await page.evaluate(() => (Reflect.get(window, 'mend') as () => void)());
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save checkpoint' }).click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(/step-\d+\.zip$/);

    await page.getByTestId('copy-diagnostics').click();
    await expect(page.getByText('Copied: versions')).toBeVisible();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    for (const part of [
      '@tensorflow/tfjs ',
      `settings of the run: v=${SETTINGS_VERSION}&`,
      '&problemsPerStep=4&',
      'the page could not be drawn',
      'training at step',
    ])
      expect(text).toContain(part);
    const { rollouts } = await snapshotOf(page);
    expect(rollouts.length).toBeGreaterThan(0);
    for (const { question } of rollouts) expect(text).not.toContain(question);

    const before = (await snapshotOf(page)).step;
    await page.getByRole('button', { name: 'Draw again' }).click();
    await expect(page.getByTestId('pause-button')).toBeVisible();
    await reachStep(page, before + 1);
  });
});
