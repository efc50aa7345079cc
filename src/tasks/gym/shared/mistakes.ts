/** Likely mistakes: answers of the right form that are wrong, for demonstrations. */
import { pick, uniformInt, type Draw } from '../../../base/random.ts';

interface Answered {
  readonly answer: string;
}

/** One of the texts or numbers that is not the truth. */
export function pickOther<Item extends string | number>(
  draw: Draw,
  items: readonly Item[],
  truth: Item | undefined,
): Item {
  return pick(
    draw,
    items.filter((item) => item !== truth),
  );
}

/** The list with two neighbours swapped that differ; without its last item where no two do. */
export function swapNeighbours<Item>(draw: Draw, items: readonly Item[]): Item[] {
  const places = items.flatMap((item, i) => (i + 1 < items.length && item !== items[i + 1] ? [i] : []));
  if (places.length === 0) return items.slice(0, -1);
  const at = pick(draw, places);
  return [...items.slice(0, at), ...items.slice(at, at + 2).toReversed(), ...items.slice(at + 2)];
}

/** Places of the characters that a pattern matches. */
const placesOf = (text: string, pattern: RegExp): number[] =>
  Array.from(text).flatMap((character, i) => (pattern.test(character) ? [i] : []));

const replaceAt = (text: string, at: number, character: string): string =>
  `${text.slice(0, at)}${character}${text.slice(at + 1)}`;

/** The answer with one of its letters a to z (of either case) replaced by another; with one more where it has none. */
export function changeLetter({ answer }: Answered, draw: Draw): string {
  const places = placesOf(answer, /[a-z]/i);
  if (places.length === 0) return `${answer}x`;
  const at = pick(draw, places);
  const code = answer.charCodeAt(at);
  const first = code >= 97 ? 97 : 65;
  return replaceAt(answer, at, String.fromCharCode(first + ((code - first + uniformInt(draw, 1, 25)) % 26)));
}

/** The answer with one of its digits replaced by another. */
export function changeDigit({ answer }: Answered, draw: Draw): string {
  const at = pick(draw, placesOf(answer, /\d/));
  return replaceAt(answer, at, `${(Number(answer.charAt(at)) + uniformInt(draw, 1, 9)) % 10}`);
}

/** A whole number close to the answer, which is one of any size. */
export function nearbyNumber({ answer }: Answered, draw: Draw): string {
  return `${BigInt(answer) + BigInt(pick(draw, [-10, -2, -1, 1, 2, 10]))}`;
}

/** A count one or two off, never negative. */
export function nearbyCount({ answer }: Answered, draw: Draw): string {
  const near = [-2, -1, 1, 2].map((error) => Number(answer) + error);
  return `${pick(
    draw,
    near.filter((count) => count >= 0),
  )}`;
}

/** `False` for `True`, and the other way round. */
export const otherTruth = ({ answer }: Answered): string => (answer === 'True' ? 'False' : 'True');
