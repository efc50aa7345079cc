/** The token that is looked at, and its moves by keyboard. */

/** The place of an answer in its step, and of a token in it. */
export interface Cursor {
  readonly place: number;
  readonly token: number;
  /** True if the pointer has chosen the token, which then needs no scrolling. */
  readonly pointed?: true;
}

export interface Grid {
  /** The places of the answers side by side, in order. */
  readonly places: readonly number[];
  readonly lengthOf: (place: number) => number;
}

/** Moves the cursor: left and right within an answer, up and down to the same token of its neighbour; null for another key. */
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
