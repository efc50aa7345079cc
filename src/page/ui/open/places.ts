/** Places of the page that are gone to from elsewhere in it. */

/** Scrolls to something and gives it the focus. */
export function goTo(element: HTMLElement): void {
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = -1;
  element.scrollIntoView({ block: 'center' });
  element.focus({ preventScroll: true });
}

/** Brings the top of a place into view, and the keyboard's focus to it. */
function goToTop(id: string): void {
  const place = document.getElementById(id);
  place?.scrollIntoView({ block: 'start' });
  place?.focus({ preventScroll: true });
}

/** The id of what the page is about. */
export const MAIN = 'charts';

export const showMain = (): void => goToTop(MAIN);

const RUN_LIST = 'runs';

export const showRuns = (): void => goToTop(RUN_LIST);

export const runListPlace = { id: RUN_LIST, tabIndex: -1 } as const;

/** What to try next. */
export const SUGGESTIONS_ID = 'suggestions';

export function showSuggestions(): void {
  const place = document.getElementById(SUGGESTIONS_ID);
  if (place !== null) goTo(place);
}
