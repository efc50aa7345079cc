/** Houses in a row whose people differ in several traits, clues about them, and whether these leave one solution. */
import { countOnes } from '../../define/wholeNumbers.ts';
import { shuffled, type Draw } from '@rl-playground/base/random';

/** A trait's value is numbered `trait · houses + value`; a house counts from 0 at the left. */
export type Clue =
  | { readonly kind: 'found'; readonly a: number; readonly house: number }
  /** The kind `same` means in one house, `left` means a directly left of b, and `next` means beside each other. */
  | { readonly kind: 'same' | 'left' | 'next'; readonly a: number; readonly b: number };

export interface ZebraSize {
  readonly houses: number;
  readonly traits: number;
}

/** The houses that each value may still be in, as bits. */
type Places = number[];

/** Puts both values' places to what a clue leaves of them. */
function applyClue(places: Places, clue: Clue): void {
  const a = places[clue.a] ?? 0;
  if (clue.kind === 'found') {
    places[clue.a] = a & (1 << clue.house);
    return;
  }
  const b = places[clue.b] ?? 0;
  const leftOf = b >> 1;
  const rightOf = b << 1;
  const left = clue.kind === 'same' ? a & b : clue.kind === 'left' ? a & leftOf : a & (leftOf | rightOf);
  places[clue.a] = left;
  const beside = clue.kind === 'same' ? left : clue.kind === 'left' ? left << 1 : (left << 1) | (left >> 1);
  places[clue.b] = b & beside;
}

const isSingle = (bits: number): boolean => bits !== 0 && (bits & (bits - 1)) === 0;

/** Values of one trait are in different houses: a settled one leaves no room for the others, the only one left for a house takes it. */
function separate(places: Places, { houses, traits }: ZebraSize): void {
  for (let trait = 0; trait < traits; trait++) {
    const from = trait * houses;
    for (let value = from; value < from + houses; value++) {
      const own = places[value] ?? 0;
      let others = 0;
      for (let other = from; other < from + houses; other++) {
        if (other === value) continue;
        if (isSingle(own)) places[other] = (places[other] ?? 0) & ~own;
        others |= places[other] ?? 0;
      }
      if (isSingle(own & ~others)) places[value] = own & ~others;
    }
  }
}

/** Narrows the places until nothing changes; false at a contradiction. */
function narrow(places: Places, clues: readonly Clue[], size: ZebraSize): boolean {
  const bits = () => places.reduce((sum, each) => sum + countOnes(each), 0);
  for (let before = bits(); ;) {
    for (const clue of clues) applyClue(places, clue);
    separate(places, size);
    if (places.includes(0)) return false;
    const after = bits();
    if (after === before) return true;
    before = after;
  }
}

/** A value with the fewest places left, of those that have several; −1 where none has. */
function mostSettled(places: Places): number {
  let best = -1;
  for (const [value, bits] of places.entries())
    if (!isSingle(bits) && (best < 0 || countOnes(bits) < countOnes(places[best] ?? 0))) best = value;
  return best;
}

/** The number of solutions, none counted beyond `most`. */
export function countSolutions(clues: readonly Clue[], size: ZebraSize, most = 2): number {
  function count(places: Places, room: number): number {
    if (!narrow(places, clues, size)) return 0;
    const open = mostSettled(places);
    if (open < 0) return 1;
    let found = 0;
    for (let house = 0; house < size.houses && found < room; house++) {
      const guess = 1 << house;
      if (((places[open] ?? 0) & guess) !== 0) found += count(places.with(open, guess), room - found);
    }
    return found;
  }
  const everywhere = (1 << size.houses) - 1;
  return count(
    Array.from({ length: size.houses * size.traits }, () => everywhere),
    most,
  );
}

/** These weights are fitted so that the kinds of the remaining clues have the shares of upstream's puzzles. */
const WEIGHTS: Readonly<Record<Clue['kind'], number>> = { same: 4, found: 1.6, left: 0.9, next: 0.7 };

/** All clues that hold if `houseOf` gives the house of each value. */
function allClues(houseOf: readonly number[], houses: number): Clue[] {
  const clues: Clue[] = [];
  for (const [a, house] of houseOf.entries()) {
    clues.push({ kind: 'found', a, house });
    for (const [b, other] of houseOf.entries()) {
      if (house === other && a < b) clues.push({ kind: 'same', a, b });
      if (other === house + 1) {
        // Beside each other is said of a pair once, and in either order.
        clues.push(
          { kind: 'left', a, b },
          (a + b + houses) % 2 === 0 ? { kind: 'next', a, b } : { kind: 'next', a: b, b: a },
        );
      }
    }
  }
  return clues;
}

/** The clues in an order in which heavier kinds tend to come first (Efraimidis and Spirakis). */
function drawOrder(draw: Draw, clues: readonly Clue[]): Clue[] {
  const total = new Map<Clue['kind'], number>();
  for (const { kind } of clues) total.set(kind, (total.get(kind) ?? 0) + 1);
  return clues
    .map((clue) => ({
      clue,
      rank: Math.log(1 - draw()) * ((total.get(clue.kind) ?? 1) / WEIGHTS[clue.kind]),
    }))
    .toSorted((x, y) => y.rank - x.rank)
    .map(({ clue }) => clue);
}

/** Clues with one solution, the one given, of which none can be left out. In random order. */
export function drawClues(draw: Draw, houseOf: readonly number[], size: ZebraSize): Clue[] {
  const order = drawOrder(draw, allClues(houseOf, size.houses));
  // A clue more never adds a solution, so the fewest first clues that leave one are found by halving.
  let [few, enough] = [0, order.length];
  while (enough - few > 1) {
    const middle = (few + enough) >> 1;
    if (countSolutions(order.slice(0, middle), size) === 1) enough = middle;
    else few = middle;
  }
  const kept = shuffled(draw, order.slice(0, enough));
  return kept.reduce((clues, clue) => {
    const others = clues.filter((other) => other !== clue);
    return countSolutions(others, size) === 1 ? others : clues;
  }, kept);
}
