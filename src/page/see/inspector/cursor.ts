/** The token that is looked at, and where the keys take it. */
import type { RunController } from '@rl-playground/run/session';

/** The place of an answer among those of its step, and of a token in it. */
export interface Cursor {
  readonly place: number;
  readonly token: number;
  /** Where the pointer is, nothing scrolls. */
  readonly pointed?: true;
}

/** The answers that stand side by side. */
export interface Grid {
  /** Places, in the order in which they stand. */
  readonly places: readonly number[];
  readonly lengthOf: (place: number) => number;
}

/** Left and right within an answer, up and down to the same token of the one beside it; null where the key means nothing. */
export function movedCursor(
  key: string,
  { place, token }: Cursor,
  { places, lengthOf }: Grid,
): Cursor | null {
  const within = (to: number, t: number): Cursor => ({
    place: to,
    token: Math.max(0, Math.min(t, lengthOf(to) - 1)),
  });
  const beside = (by: number): Cursor => {
    const to = Math.max(0, Math.min(places.length - 1, places.indexOf(place) + by));
    return within(places[to] ?? place, token);
  };
  switch (key) {
    case 'ArrowLeft':
      return within(place, token - 1);
    case 'ArrowRight':
      return within(place, token + 1);
    case 'Home':
      return within(place, 0);
    case 'End':
      return within(place, Infinity);
    case 'ArrowUp':
      return beside(-1);
    case 'ArrowDown':
      return beside(1);
    default:
      return null;
  }
}

/** A token as it is drawn: line breaks marked, and its id where it is no text by itself. */
export function tokenText(
  controller: { readonly start: Pick<RunController['start'], 'promptText'> } | null,
  token: number,
): string {
  const text = controller?.start.promptText([token]) ?? '';
  return text === '' ? `#${token}` : text.replaceAll('\n', '↵');
}
