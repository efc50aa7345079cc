/** Likely mistakes: answers of the right form that are wrong, for demonstrations. */
import { pick, uniformInt } from '../../../base/random.ts';

/** The list with two neighbours swapped that differ; without its last item where no two do. */
export function swapNeighbours<Item>(draw: () => number, items: readonly Item[]): Item[] {
  const places = items.flatMap((item, i) => (i + 1 < items.length && item !== items[i + 1] ? [i] : []));
  if (places.length === 0) return items.slice(0, -1);
  const at = pick(draw, places);
  return [...items.slice(0, at), ...items.slice(at, at + 2).toReversed(), ...items.slice(at + 2)];
}

/** The text with one of its letters a to z (of either case) replaced by another; with one more where it has none. */
export function changeLetter(draw: () => number, text: string): string {
  const places = Array.from(text).flatMap((letter, i) => (/[a-z]/i.test(letter) ? [i] : []));
  if (places.length === 0) return `${text}x`;
  const at = pick(draw, places);
  const code = text.charCodeAt(at);
  const first = code >= 97 ? 97 : 65;
  const other = first + ((code - first + uniformInt(draw, 1, 25)) % 26);
  return text.slice(0, at) + String.fromCharCode(other) + text.slice(at + 1);
}

/** A whole number close to a whole number of any size; never itself. */
export function nearbyNumber(draw: () => number, number: string): string {
  return `${BigInt(number) + BigInt(pick(draw, [-10, -2, -1, 1, 2, 10]))}`;
}

/** A count one or two off; never itself, never negative. */
export function nearbyCount(draw: () => number, count: number): string {
  return `${pick(
    draw,
    [count - 2, count - 1, count + 1, count + 2].filter((other) => other >= 0),
  )}`;
}
