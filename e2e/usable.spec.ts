/** The page by its labels, with a part that is missing, and broken. */
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { expect, test } from './fixtures.ts';
import { holdBack, openFold, reachPhase, reachStep, shownStep, snapshotOf } from './page.ts';

/** More steps than are ever made. */
const SMALL = { problemsPerStep: 4, evalSamples: 4, evalEvery: 0, numSteps: 100_000 };

test('a part of the page that can not be fetched is said where it would stand, and the run goes on', async ({
  page,
  openPage,
}) => {
  await page.route('**/assets/MoreCharts-*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("no such file");' }),
  );
  await openPage({ ...SMALL, numSteps: 2 });
  await expect(page.getByRole('main').getByRole('alert')).toContainText('could not be loaded (no such file)');
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  expect(await shownStep(page)).toBe(2);
});

test('what is folded is there at once after the start, whatever can be operated has a name, and the status is spoken', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  await expect(page.getByTestId('chart-reward').getByRole('button', { name: /: files$/ })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-parts', 'drawn');
  // Requests from here on wait until both are there.
  const letThrough = await holdBack(page, '**/*');
  await openFold(page, 'More settings');
  await openFold(page, 'Optimizer');
  await expect(page.getByLabel('Preset', { exact: true })).toBeVisible();
  await expect(page.getByTestId('chart-grad-norm')).toBeVisible();
  letThrough();

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
  await expect(drawer.getByLabel('Evaluation problems', { exact: true })).toHaveValue('4');
  // Settings that have a place on the page are found here too, and shown there.
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
    const all = await page.getByRole(role).count();
    await expect(page.getByRole(role, { name: /\S/ }), `each ${role} has a name`).toHaveCount(all);
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

test.describe('a broken page', () => {
  // React says each error that it meets while it draws.
  test.use({ expectedErrors: /Minified React error #31/ });

  test('a page that can not be drawn gives out its run and its diagnostics, and is drawn again while the run goes on', async ({
    page,
    openPage,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openPage(SMALL);
    await page.getByTestId('train-button').click();
    await reachStep(page, 1);
    // The page draws a broken snapshot next; the engine has its own.
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
      '@tensorflow/tfjs-core ',
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
