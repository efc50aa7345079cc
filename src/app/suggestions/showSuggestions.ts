const PLACE_ID = 'suggestions';

/** Brings the suggestions of what to try into view, and the keyboard's focus to them. */
export function showSuggestions(): void {
  const place = document.getElementById(PLACE_ID);
  place?.scrollIntoView({ block: 'center' });
  place?.focus({ preventScroll: true });
}

export const suggestionsPlace = { id: PLACE_ID, tabIndex: -1 } as const;
