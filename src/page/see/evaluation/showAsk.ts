import { useApp } from '../../run/state/store.ts';

export const ASK_ID = 'ask-the-model';

/** Opens the form that asks the model, and brings it into view with the keyboard's focus. */
export function showAsk(): void {
  useApp.setState({ askOpen: true });
  const place = document.getElementById(ASK_ID);
  place?.querySelector('summary')?.focus({ preventScroll: true });
  // Once it is drawn open: before, the page is not long enough.
  requestAnimationFrame(() => place?.scrollIntoView({ block: 'start' }));
}
