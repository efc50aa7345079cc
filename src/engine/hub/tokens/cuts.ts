/** Parts a text at the matches of a pattern, with the five ways that `tokenizers` has to treat a match. */

/** A stretch of a text that is a match or lies between two. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly isMatch: boolean;
}

export type Finder = (text: string) => readonly Stretch[];

const isWithinCharacter = (text: string, at: number): boolean =>
  at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;

/**
 * Finds the matches of an expression with the flag g. An empty match where the last one ended is passed over, as in Oniguruma's iterator.
 */
export function finderOf(expression: RegExp): Finder {
  return (text) => {
    const stretches: Stretch[] = [];
    let covered = 0;
    let lastEnd = -1;
    for (let from = 0; from <= text.length;) {
      expression.lastIndex = from;
      const found = expression.exec(text);
      if (found === null) break;
      // V8 finds empty matches within the two units of a character, too.
      if (isWithinCharacter(text, found.index)) {
        from = found.index + 1;
        continue;
      }
      const end = found.index + found[0].length;
      if (found[0] === '' && end === lastEnd) {
        from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
        continue;
      }
      if (covered < found.index) stretches.push({ from: covered, to: found.index, isMatch: false });
      stretches.push({ from: found.index, to: end, isMatch: true });
      covered = from = lastEnd = end;
    }
    if (covered < text.length) stretches.push({ from: covered, to: text.length, isMatch: false });
    return stretches;
  };
}

/** An expression that matches a text literally. */
export function literally(text: string): RegExp {
  const codes = Array.from(text, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return new RegExp(codes.join(''), 'gu');
}

/** Takes matches for what lies between, and the other way round. */
export function inverted(find: Finder): Finder {
  return (text) => find(text).map(({ from, to, isMatch }) => ({ from, to, isMatch: !isMatch }));
}

export const BEHAVIORS = [
  'Removed',
  'Isolated',
  'MergedWithPrevious',
  'MergedWithNext',
  'Contiguous',
] as const;
export type Behavior = (typeof BEHAVIORS)[number];

type Span = readonly [from: number, to: number];

/** Joins each stretch to the one before it where `joins` says so of both. */
function joined(
  stretches: readonly Stretch[],
  joins: (isMatch: boolean, wasMatch: boolean) => boolean,
): readonly Span[] {
  const spans: Span[] = [];
  let wasMatch = false;
  for (const { from, to, isMatch } of stretches) {
    const last = spans.at(-1);
    if (last !== undefined && joins(isMatch, wasMatch))
      spans[spans.length - 1] = [Math.min(last[0], from), Math.max(last[1], to)];
    else spans.push([from, to]);
    wasMatch = isMatch;
  }
  return spans;
}

/** The parts of a text in order. Some may be empty. */
export function parted(text: string, find: Finder, behavior: Behavior): readonly Span[] {
  const stretches = find(text);
  const startsRun = (isMatch: boolean, wasMatch: boolean): boolean => isMatch && !wasMatch;
  switch (behavior) {
    case 'Removed':
      return joined(
        stretches.filter(({ isMatch }) => !isMatch),
        () => false,
      );
    case 'Isolated':
      return joined(stretches, () => false);
    case 'Contiguous':
      return joined(stretches, (isMatch, wasMatch) => isMatch === wasMatch);
    case 'MergedWithPrevious':
      return joined(stretches, startsRun);
    case 'MergedWithNext':
      return joined(stretches.toReversed(), startsRun).toReversed();
  }
}

/** Replaces each match by a literal text. */
export function replaced(text: string, find: Finder, content: string): string {
  return find(text)
    .map(({ from, to, isMatch }) => (isMatch ? content : text.slice(from, to)))
    .join('');
}
