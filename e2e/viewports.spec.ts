/**
 * A short run with every part and dialog open, at the sizes and in the schemes that people have: nothing to scroll sideways, every text
 * readable, everything that can be pressed 24 pixels high and wide. The screenshots are to be looked at: they lie with the test's results.
 */
import type { Page, TestInfo } from '@playwright/test';
import { provenBy } from '../src/testing/proofs.ts';
import { unreadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { drawAway, inScheme, openFold, reachPhase } from './page.ts';

const PHONE = { width: 390, height: 844 };
const SIZES = [{ width: 1440, height: 900 }, { width: 1280, height: 720 }, PHONE] as const;
const RUN = {
  task: 'reverse_digits',
  numSteps: 2,
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalEvery: 0,
  evalSamples: 8,
};

/** Runs in the page. What can be pressed and is smaller than 24 pixels; of links those that stand in no sentence. */
function smallTargets(): string[] {
  const targets =
    'button, select, summary, a[href], textarea, input, [role="option"], [role="menuitem"], [role="tab"]';
  const dialog = document.querySelector('[role="dialog"][aria-modal="true"], [role="menu"]');
  const found = new Set<string>();
  for (const element of document.querySelectorAll<HTMLElement>(targets)) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('.visually-hidden, [inert], [class*="skip"]') !== null) continue;
    // What a dialog keeps from being pressed counts when it is closed.
    if (dialog !== null && !dialog.contains(element)) continue;
    // A link or mark within a sentence is as high as its line; a label is pressed with its input.
    if (getComputedStyle(element).display === 'inline') continue;
    const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined;
    const boxes = [element, ...(label ? [label] : [])].map((each) => each.getBoundingClientRect());
    const [width, height] = [
      Math.max(...boxes.map((box) => box.width)),
      Math.max(...boxes.map((box) => box.height)),
    ];
    if (width === 0 || height === 0) continue;
    if (width < 24 || height < 24)
      found.add(
        `${element.tagName.toLowerCase()} ${element.className} ${(element.getAttribute('aria-label') ?? element.textContent).slice(0, 40)}: ${width.toFixed(0)} × ${height.toFixed(0)}`,
      );
  }
  return [...found];
}

/** What sticks out to the right of the page, and is not inside something that scrolls. */
function sideways(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.querySelectorAll<HTMLElement>('body *')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
    .slice(0, 5)
    .map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 40)}`);
}

async function unfoldAll(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(() => {
        const closed = document.querySelectorAll<HTMLDetailsElement>('details:not([open])');
        for (const fold of closed) fold.open = true;
        return closed.length;
      }),
    )
    .toBe(0);
  await expect(page.getByText('Loading…')).toHaveCount(0);
}

class View {
  readonly #page: Page;
  readonly #info: TestInfo;
  readonly #schemes: readonly ('light' | 'dark')[];

  constructor(page: Page, info: TestInfo, schemes: readonly ('light' | 'dark')[]) {
    this.#page = page;
    this.#info = info;
    this.#schemes = schemes;
  }

  async check(name: string, { fullPage = false } = {}): Promise<void> {
    const page = this.#page;
    expect.soft(await page.evaluate(sideways), `${name}: nothing to scroll sideways`).toEqual([]);
    expect.soft(await page.evaluate(smallTargets), `${name}: targets`).toEqual([]);
    for (const scheme of this.#schemes) {
      await inScheme(page, scheme);
      // Colours take a moment to change.
      await expect
        .soft(async () => expect(await page.evaluate(unreadable), `${name}, ${scheme}`).toEqual([]))
        .toPass({ timeout: 5000 });
      const path = this.#info.outputPath(`${name}-${scheme}.png`);
      await page.screenshot({ path, fullPage, animations: 'disabled' });
    }
  }
}

for (const viewport of provenBy(SIZES, [PHONE]))
  test(`every part and dialog at ${viewport.width} x ${viewport.height}`, async ({
    page,
    openPage,
  }, info) => {
    await page.setViewportSize(viewport);
    // A part that the page does not have is refused in a message.
    await openPage({ ...RUN, hide: 'cellar' });
    await drawAway(page);
    const view = new View(page, info, provenBy(['light', 'dark'] as const, ['dark']));
    await view.check('idle');
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
    await unfoldAll(page);
    await view.check('all', { fullPage: true });
    await openFold(page, 'More settings');
    await unfoldAll(page);
    await view.check('drawer');
    await page.keyboard.press('Escape');
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
