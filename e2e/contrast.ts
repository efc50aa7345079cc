/** The contrast of texts with their background, as the Web Content Accessibility Guidelines measure it. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { inScheme, type Scheme } from './page.ts';

/**
 * Finds the texts inside `root` whose contrast is below level AA: 4.5, or 3 for large texts. It runs in the page. Disabled controls are
 * exempt in the guidelines and here, and so are invisible texts. It ends transitions of colours first: far from the screen they do not
 * advance by themselves.
 */
async function unreadable(root: Element): Promise<string[]> {
  for (let quiet = 0; quiet < 2; quiet++) {
    await new Promise(requestAnimationFrame);
    // In what is far from the screen a colour begins to change when it is asked for.
    for (const element of root.querySelectorAll('*')) void getComputedStyle(element).color;
    for (const animation of document.getAnimations())
      if (animation instanceof CSSTransition) {
        animation.finish();
        quiet = -1;
      }
  }
  type Colour = readonly [red: number, green: number, blue: number, alpha: number];
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (canvas === null) throw new Error('This browser draws no canvas.');
  const parsed = new Map<string, Colour>();
  /** Any CSS colour as sRGB in 0..1. */
  const parse = (css: string): Colour => {
    const known = parsed.get(css);
    if (known !== undefined) return known;
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
    const colour = [r / 255, g / 255, b / 255, a / 255] as const;
    parsed.set(css, colour);
    return colour;
  };
  const over = (front: Colour, back: Colour): Colour => {
    const mix = (f: number, b: number) => f * front[3] + b * (1 - front[3]);
    return [mix(front[0], back[0]), mix(front[1], back[1]), mix(front[2], back[2]), 1];
  };
  const backgrounds = new Map<Element, Colour>();
  const behind = (element: Element | null): Colour => {
    if (element === null) return parse(getComputedStyle(document.body).backgroundColor);
    const known = backgrounds.get(element);
    if (known !== undefined) return known;
    const own = parse(getComputedStyle(element).backgroundColor);
    const found = own[3] >= 1 ? own : over(own, behind(element.parentElement));
    backgrounds.set(element, found);
    return found;
  };
  const luminance = ([r, g, b]: Colour): number => {
    const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const visible = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.closest('[disabled], [data-disabled], .visually-hidden') === null &&
    element.getClientRects().length > 0;

  const found = new Set<string>();
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent?.trim() ?? '';
    if (element === null || text === '' || element instanceof SVGElement || !visible(element)) continue;
    const style = getComputedStyle(element);
    const background = behind(element);
    const [bright, dim] = [over(parse(style.color), background), background]
      .map(luminance)
      .sort((a, b) => b - a) as [number, number];
    const contrast = (bright + 0.05) / (dim + 0.05);
    const size = Number.parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) found.add(`${contrast.toFixed(2)}: ${text.slice(0, 60)}`);
  }
  return [...found];
}

/** Finds the texts of the page, or of a part of it, whose contrast is too low as the page is drawn now. */
export function unreadableIn(where: Page | Locator): Promise<string[]> {
  return ('goto' in where ? where.locator('body') : where).evaluate(unreadable);
}

/** Expects every text of the page, or of a part of it, to be readable in each of these colour schemes of the system. */
export async function expectReadable(
  where: Page | Locator,
  schemes: readonly Scheme[] = ['light', 'dark'],
): Promise<void> {
  for (const scheme of schemes) {
    await inScheme('goto' in where ? where : where.page(), scheme);
    expect(await unreadableIn(where), `texts that can’t be read, ${scheme}`).toEqual([]);
  }
}
