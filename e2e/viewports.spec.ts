/**
 * A short run with every part and dialog open, at the sizes and in the schemes that people have: nothing to scroll sideways, every text
 * readable, everything that can be pressed 24 pixels high and wide. The screenshots are to be looked at: they lie with the test's results.
 */
import { expectReadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { goTo, number, openFold, PLACES_OF_PAGE, reachPhase, status, unfoldAll } from './page.ts';
import { PHONE, SHORT_RUN, SIZES, View } from './view.ts';

for (const viewport of SIZES)
  test(`every part and dialog at ${viewport.width} x ${viewport.height}`, async ({
    page,
    openPage,
  }, info) => {
    await page.setViewportSize(viewport);
    // A part that the page does not have is refused in a message.
    await openPage({ ...SHORT_RUN, hide: 'cellar' });
    const view = new View(page, info);
    await view.check('idle');
    if (viewport === PHONE)
      for (const part of [page.getByTestId('train-button'), status(page)])
        await expect(part).toBeInViewport({ ratio: 1 });
    await page.getByRole('button', { name: /^Dismiss/ }).click();
    await expect(page.getByTestId('notices')).toBeEmpty();
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    await view.check('finished');
    if (viewport === PHONE) {
      await openFold(page, 'Settings');
      // The training controls are there wherever a phone is scrolled.
      await page.getByRole('contentinfo').scrollIntoViewIfNeeded();
      for (const name of ['train', 'step', 'stop', 'reset'])
        await expect(page.getByTestId(`${name}-button`)).toBeInViewport({ ratio: 1 });
    }
    for (const place of PLACES_OF_PAGE) {
      await goTo(page, place);
      await unfoldAll(page);
      await view.check(place, { fullPage: true });
      // The other parts are checked in one scheme; this is the scheme that the system does not ask for first.
      await expectReadable(page, ['light']);
    }
    await openFold(page, 'More settings');
    await unfoldAll(page);
    await view.check('drawer');
    if (viewport === PHONE) {
      // The drawer also finds settings that have a place on the page, and makes room for them.
      await page.getByRole('searchbox', { name: 'Search settings' }).fill('steps');
      await page.getByRole('button', { name: 'Steps', exact: true }).click();
      await expect(page.getByRole('dialog', { name: 'More settings' })).toHaveCount(0);
      await expect(number(page, 'Steps')).toBeFocused();
      await page.getByTestId('train-button').focus();
    } else await page.keyboard.press('Escape');
    for (const [name, open] of [
      ['commands', () => page.keyboard.press('Control+k')],
      ['help', () => page.keyboard.press('?')],
      ['export-menu', () => page.getByTestId('export-menu').click()],
      [
        'export',
        async () => {
          await page.getByTestId('export-menu').click();
          await page.getByTestId('export-button').click();
        },
      ],
      ['models', () => page.getByTestId('model-picker-button').click()],
    ] as const) {
      await open();
      await expect(page.getByRole(name === 'export-menu' ? 'menu' : 'dialog').last()).toBeVisible();
      await view.check(name);
      await page.keyboard.press('Escape');
      await expect(page.getByRole(name === 'export-menu' ? 'menu' : 'dialog')).toHaveCount(0);
    }
  });
