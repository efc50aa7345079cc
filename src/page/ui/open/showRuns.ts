const LIST_ID = 'runs';

/** Brings the list of runs into view, and the keyboard's focus to it. */
export function showRuns(): void {
  const list = document.getElementById(LIST_ID);
  list?.scrollIntoView({ block: 'start' });
  list?.focus({ preventScroll: true });
}

export const runListPlace = { id: LIST_ID, tabIndex: -1 } as const;
