/** Places of the page that are gone to from elsewhere in it. */
import { setOpen } from './openStore.ts';

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

/** Below this width the settings stand above the charts instead of beside them. */
export const NARROW = '(max-width: 900px)';

/** The id of the drawer, for the button that opens it. */
export const DRAWER_ID = 'more-settings';

export const ASK_ID = 'ask-the-model';

/** Opens the form that asks the model, and brings it into view with the keyboard's focus. */
export function showAsk(): void {
  setOpen('ask');
  const place = document.getElementById(ASK_ID);
  place?.querySelector('summary')?.focus({ preventScroll: true });
  // Once it is drawn open: before, the page is not long enough.
  requestAnimationFrame(() => place?.scrollIntoView({ block: 'start' }));
}
