/** Keeps the keyboard's place when the element with the focus is locked, hidden or removed. */

const REGIONS = 'section, fieldset, details, form, [role="group"], [role="dialog"], header, main';

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && !element.matches(':disabled') && element.checkVisibility();

function regionsOf(element: HTMLElement): HTMLElement[] {
  const region = element.parentElement?.closest<HTMLElement>(REGIONS);
  return region ? [region, ...regionsOf(region)] : [];
}

/**
 * Keeps the focus from falling back to the document from now on. The focus goes to the region around its element, from where Tab goes on, and returns as
 * soon as the element can be used again.
 */
export function keepFocus(): void {
  let last: { readonly element: HTMLElement; readonly regions: readonly HTMLElement[] } | null = null;
  let substitute: HTMLElement | null = null;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target === substitute) return;
    substitute = null;
    last = { element: target, regions: regionsOf(target) };
  });
  const mend = (): void => {
    if (last === null) return;
    const { activeElement } = document;
    const usable = isUsable(last.element);
    if (substitute !== null && activeElement === substitute) {
      if (usable) last.element.focus({ preventScroll: true });
      return;
    }
    // A click beside everything takes the focus away on purpose.
    if (usable || (activeElement !== document.body && activeElement !== last.element)) return;
    substitute = last.regions.find(isUsable) ?? document.querySelector<HTMLElement>('main');
    if (substitute === null) return;
    if (!substitute.hasAttribute('tabindex')) substitute.tabIndex = -1;
    substitute.focus({ preventScroll: true });
  };
  let asked = false;
  new MutationObserver(() => {
    if (asked || last === null) return;
    asked = true;
    // After the next frame the page has been laid out, and visibility costs no layout of its own.
    requestAnimationFrame(() =>
      setTimeout(() => {
        asked = false;
        mend();
      }),
    );
  }).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden'],
  });
}
