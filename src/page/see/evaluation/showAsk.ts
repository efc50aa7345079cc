import { setOpen } from '../../ui/open/openStore.ts';

export const ASK_ID = 'ask-the-model';

/** Opens the form that asks the model, and brings it into view with the keyboard's focus. */
export function showAsk(): void {
  setOpen('ask');
  const place = document.getElementById(ASK_ID);
  place?.querySelector('summary')?.focus({ preventScroll: true });
  // Once it is drawn open: before, the page is not long enough.
  requestAnimationFrame(() => place?.scrollIntoView({ block: 'start' }));
}
