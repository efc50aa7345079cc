import { goTo } from '../../run/controls/drawerStore.ts';

export const SUGGESTIONS_ID = 'suggestions';

/** Brings the suggestions of what to try into view, and the keyboard's focus to them. */
export function showSuggestions(): void {
  const place = document.getElementById(SUGGESTIONS_ID);
  if (place !== null) goTo(place);
}
