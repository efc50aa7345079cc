/** Keeps the keyboard's place where what has the focus can have it no longer: a setting that a run locks, a button that goes away. */

const REGIONS = 'section, fieldset, details, form, [role="group"], [role="dialog"], header, main';
/** Where nothing around it is left either. */
const LAST_RESORT = 'main';

interface Place {
  readonly element: HTMLElement;
  /** What it stands in, from the inside out. */
  readonly regions: readonly HTMLElement[];
}

const canAct = (element: HTMLElement): boolean => element.isConnected && !element.matches(':disabled');

const isUsable = (element: HTMLElement): boolean => canAct(element) && element.checkVisibility();

function placeOf(element: HTMLElement): Place {
  const regions: HTMLElement[] = [];
  for (let at = element.parentElement; at !== null; at = at.parentElement)
    if (at.matches(REGIONS)) regions.push(at);
  return { element, regions };
}

function focusRegion(region: HTMLElement): void {
  if (!region.hasAttribute('tabindex')) region.tabIndex = -1;
  region.focus({ preventScroll: true });
}

/**
 * From now on the focus never falls back to the document: where its element is disabled, hidden or removed it goes to the region around
 * that, from where Tab goes on, and back as soon as the element can be used again.
 */
export function keepFocus(): void {
  let last: Place | null = null;
  let substitute: HTMLElement | null = null;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target === substitute) return;
    substitute = null;
    last = placeOf(target);
  });
  const mend = (): void => {
    if (last === null) return;
    const { activeElement } = document;
    const usable = isUsable(last.element);
    if (substitute !== null && activeElement === substitute) {
      if (usable) last.element.focus({ preventScroll: true });
      return;
    }
    // Who clicks beside everything takes the focus away on purpose.
    if (usable || (activeElement !== document.body && activeElement !== last.element)) return;
    const region = last.regions.find(isUsable) ?? document.querySelector<HTMLElement>(LAST_RESORT);
    if (region === null) return;
    substitute = region;
    focusRegion(region);
  };
  let asked = false;
  /** Whether something is hidden is known without a layout of its own once the page has been laid out: behind the next frame. */
  const mendSoon = (): void => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() =>
      setTimeout(() => {
        asked = false;
        mend();
      }),
    );
  };
  new MutationObserver(() => {
    if (last === null) return;
    if (substitute !== null || !canAct(last.element)) mend();
    else mendSoon();
  }).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden'],
  });
}
