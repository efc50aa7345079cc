/** Sizes and schemes that people have, and what has to hold at each: nothing to scroll sideways, texts that can be read, targets that can be hit. */
import type { Locator, Page, TestInfo } from '@playwright/test';
import { everyProof, provenBy } from '@rl-playground/base/testing/proofs';
import { unreadableIn } from './contrast.ts';
import { expect } from './fixtures.ts';
import { inScheme, type Scheme } from './page.ts';

/** The size of a narrow phone. */
export const PHONE = { width: 360, height: 740 };
export const LARGE = { width: 1440, height: 900 };
export const SIZES = provenBy([LARGE, { width: 1280, height: 720 }, PHONE], [PHONE]);
/** The scheme that is not the page’s usual one is tested for both. */
export const SCHEMES = provenBy<Scheme>(['light', 'dark'], ['dark']);

/** The settings of the shortest run that has a curve, groups and evaluations to look at. */
export const SHORT_RUN = {
  task: 'reverse_digits',
  numSteps: 2,
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalEvery: 0,
  evalSamples: 8,
};

/** Finds controls smaller than 24 pixels; links within a sentence are exempt. It runs in the page. */
function smallTargets(): string[] {
  const targets =
    'button, select, summary, a[href], textarea, input, [role="option"], [role="menuitem"], [role="tab"]';
  const dialog = document.querySelector('[role="dialog"][aria-modal="true"], [role="menu"]');
  const found = new Set<string>();
  for (const element of document.querySelectorAll<HTMLElement>(targets)) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('.visually-hidden, [inert], [class*="skip"]') !== null) continue;
    // The elements that a dialog covers are checked after it has closed.
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
        `${element.tagName.toLowerCase()} ${element.className} ${(element.getAttribute('aria-label') ?? (label ?? element).textContent).slice(0, 40)}: ${width.toFixed(0)} × ${height.toFixed(0)}`,
      );
  }
  return [...found];
}

/** Finds elements that extend beyond the right edge of the page and are not inside an element that scrolls. */
function sideways(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const scrolls = (element: Element | null): boolean =>
    element !== null &&
    element !== document.body &&
    (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
  return [...document.querySelectorAll<HTMLElement>('body *')]
    .filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1 && !scrolls(element.parentElement),
    )
    .slice(0, 5)
    .map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 40)}`);
}

/** Checks what a page shows; with PROOFS=all it keeps screenshots to be looked at beside the test's results. */
export class View {
  readonly #page: Page;
  readonly #info: TestInfo;

  constructor(page: Page, info: TestInfo) {
    this.#page = page;
    this.#info = info;
  }

  /**
   * Checks the page as it is now, at its present size. If `part` is given, its texts are read and the screenshot shows it; else those of
   * the page, and the part in sight.
   */
  async check(
    name: string,
    { part, fullPage = false }: { readonly part?: Locator; readonly fullPage?: boolean } = {},
  ): Promise<void> {
    const page = this.#page;
    expect.soft(await page.evaluate(sideways), `${name}: nothing to scroll sideways`).toEqual([]);
    expect.soft(await page.evaluate(smallTargets), `${name}: targets`).toEqual([]);
    for (const scheme of SCHEMES) {
      await inScheme(page, scheme);
      expect.soft(await unreadableIn(part ?? page), `${name}, ${scheme}`).toEqual([]);
      if (!everyProof) continue;
      const path = this.#info.outputPath(`${name}-${scheme}.png`);
      if (part) await part.screenshot({ path, animations: 'disabled' });
      else await page.screenshot({ path, fullPage, animations: 'disabled' });
    }
  }

  /** A part of the page at every size. */
  async checkPart(name: string, part: Locator): Promise<void> {
    const before = this.#page.viewportSize();
    for (const size of SIZES) {
      await this.#page.setViewportSize(size);
      await part.scrollIntoViewIfNeeded();
      await this.check(`${name}-${size.width}`, { part });
    }
    if (before !== null) await this.#page.setViewportSize(before);
  }
}
