/** The ways to the parts of the page that other parts lead to. */
import { setOpen, showPlace, useOpen } from './openStore.ts';

/** Scrolls to something and gives it the focus. */
export function goTo(element: HTMLElement): void {
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = -1;
  element.scrollIntoView({ block: 'center' });
  element.focus({ preventScroll: true });
}

/** Scrolls to the top of a place and gives it the focus. */
function goToTop(id: string): void {
  const place = document.getElementById(id);
  place?.scrollIntoView({ block: 'start' });
  place?.focus({ preventScroll: true });
}

export const MAIN = 'charts';

/** Leads past the settings to the charts, or to the start of another place. */
export function showMain(): void {
  const { place } = useOpen.getState();
  goToTop(place === 'train' ? MAIN : CONTENT);
}

/** The element around the place that is shown. */
export const CONTENT = 'content';

const RUN_LIST = 'runs';

export function showRuns(): void {
  showPlace('runs');
  goToTop(RUN_LIST);
}

export const runListPlace = { id: RUN_LIST, tabIndex: -1 } as const;

export const PAST_WEIGHTS_ID = 'past-weights';

/** Leads to the switch that decides whether the weights of past steps are kept. */
export function showPastWeights(): void {
  const place = document.getElementById(PAST_WEIGHTS_ID);
  if (place !== null) goTo(place);
}

/** The width below which the settings are above the charts instead of beside them. */
export const NARROW = '(max-width: 900px)';

/** The width below which the charts are behind a tap. */
export const PHONE = '(max-width: 640px)';

export const DRAWER_ID = 'more-settings';

export const ASK_ID = 'ask-the-model';

/** Opens the form that asks the model, scrolls to it and gives it the focus. */
export function showAsk(): void {
  setOpen('ask');
  const place = document.getElementById(ASK_ID);
  place?.querySelector('summary')?.focus({ preventScroll: true });
  // Once it is drawn open: before, the page is not long enough.
  requestAnimationFrame(() => place?.scrollIntoView({ block: 'start' }));
}
