/**
 * Counts the steps in which all matches of a pattern are found in a text, by trying one possibility after the other as browsers do. The
 * count is the same on every machine, and it ends where it is told to.
 */
import type { Pattern } from './oniguruma.ts';

/** Goes on behind a match; true if all that follows matches too. */
type Next = (at: number) => boolean;
type Matcher = (at: number, next: Next) => boolean;

class TooManySteps extends Error {}

/** The text that is searched, and the steps taken so far. */
class Search {
  readonly text: string;
  readonly characters: readonly string[];
  /** The place of each character in the text, and its end. */
  readonly places: readonly number[];
  readonly #most: number;
  steps = 0;

  constructor(text: string, most: number) {
    this.text = text;
    this.characters = [...text];
    let place = 0;
    this.places = [0, ...this.characters.map(({ length }) => (place += length))];
    this.#most = most;
  }

  step(): void {
    if (++this.steps > this.#most) throw new TooManySteps();
  }
}

/** The matcher of a pattern that reads forwards (1) or, behind a look behind, backwards (−1). */
function matcherOf(pattern: Pattern, direction: 1 | -1, search: Search): Matcher {
  const inside = (of: Pattern): Matcher => matcherOf(of, direction, search);
  switch (pattern.kind) {
    case 'character': {
      const follows = memberTest(pattern.set, direction, search);
      return (at, next) => follows(at) && next(at + direction);
    }
    case 'place': {
      const expression = new RegExp(pattern.source, 'vy');
      return (at, next) => {
        search.step();
        expression.lastIndex = search.places[at] ?? 0;
        return expression.test(search.text) && next(at);
      };
    }
    case 'all': {
      const parts = pattern.parts.map(inside);
      if (direction < 0) parts.reverse();
      return parts.reduceRight<Matcher>(
        (rest, part) => (at, next) => part(at, (end) => rest(end, next)),
        (at, next) => next(at),
      );
    }
    case 'choice': {
      const options = pattern.options.map(inside);
      return (at, next) => options.some((option) => option(at, next));
    }
    case 'repeat':
      return pattern.of.kind === 'character'
        ? runOf(pattern, memberTest(pattern.of.set, direction, search), direction, search)
        : repeated(pattern, inside(pattern.of), search);
    case 'look': {
      const of = matcherOf(pattern.of, pattern.isAhead ? 1 : -1, search);
      return (at, next) => of(at, () => true) === pattern.isWanted && next(at);
    }
    case 'atomic': {
      const of = inside(pattern.of);
      return (at, next) => {
        let end = at;
        return of(at, (reached) => ((end = reached), true)) && next(end);
      };
    }
  }
}

/** Tells whether a character of a set comes next. */
function memberTest(set: string, direction: 1 | -1, search: Search): (at: number) => boolean {
  const expression = new RegExp(`^${set}$`, 'v');
  const known = new Map<string, boolean>();
  return (at) => {
    search.step();
    const character = search.characters[direction > 0 ? at : at - 1];
    if (character === undefined) return false;
    const isMember = known.get(character) ?? expression.test(character);
    known.set(character, isMember);
    return isMember;
  };
}

type Repeat = Extract<Pattern, { kind: 'repeat' }>;

/** Repeats single characters without a call within a call. */
function runOf(
  { from, to, isGreedy }: Repeat,
  follows: (at: number) => boolean,
  direction: 1 | -1,
  search: Search,
): Matcher {
  return (at, next) => {
    let count = 0;
    const enough = isGreedy ? to : from;
    while (count < enough && follows(at + count * direction)) count++;
    if (count < from) return false;
    if (!isGreedy) {
      while (!next(at + count * direction))
        if (count >= to || !follows(at + count++ * direction)) return false;
      return true;
    }
    for (; count >= from; count--) {
      search.step();
      if (next(at + count * direction)) return true;
    }
    return false;
  };
}

function repeated({ from, to, isGreedy }: Repeat, of: Matcher, search: Search): Matcher {
  const round = (at: number, count: number, next: Next): boolean => {
    search.step();
    const again = (): boolean =>
      count < to && of(at, (end) => (end !== at || count < from) && round(end, count + 1, next));
    const end = (): boolean => count >= from && next(at);
    return isGreedy ? again() || end() : end() || again();
  };
  return (at, next) => round(at, 0, next);
}

/** The steps of finding all matches, at most `most`; 0 for a search that is nested too deeply to be followed. */
export function stepsOf(pattern: Pattern, text: string, most: number): number {
  const search = new Search(text, most);
  try {
    const match = matcherOf(pattern, 1, search);
    for (let from = 0; from <= search.characters.length;) {
      let end = from;
      const isFound = match(from, (reached) => ((end = reached), true));
      from = isFound && end > from ? end : from + 1;
    }
    return search.steps;
  } catch (error) {
    if (error instanceof TooManySteps) return most;
    if (error instanceof RangeError) return 0;
    throw error;
  }
}
