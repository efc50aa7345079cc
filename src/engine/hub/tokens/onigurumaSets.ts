/** Sets of characters in Oniguruma's language, written as classes of JavaScript under the flag v. */

/** The text of a pattern and the position that is read next. */
export interface Cursor {
  readonly text: string;
  at: number;
}

const WORD_MEMBERS = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}';

/** The members of the classes that have names, such as `[:alpha:]` and `\p{Alpha}`. */
const NAMED: Readonly<Record<string, string>> = {
  alnum: '\\p{Alphabetic}\\p{Nd}',
  alpha: '\\p{Alphabetic}',
  ascii: '\\0-\\x7f',
  blank: '\\t\\p{Zs}',
  cntrl: '\\p{Cc}',
  digit: '\\p{Nd}',
  lower: '\\p{Lowercase}',
  punct: '\\p{P}\\p{S}',
  space: '\\p{White_Space}',
  upper: '\\p{Uppercase}',
  word: WORD_MEMBERS,
  xdigit: '0-9A-Fa-f',
};

const LETTERS: Readonly<Record<string, string>> = {
  d: NAMED['digit'] ?? '',
  s: NAMED['space'] ?? '',
  w: WORD_MEMBERS,
  h: NAMED['xdigit'] ?? '',
};

/** Oniguruma counts these as parts of words too, but not within a class. */
const ALSO_WORD = '\\xb2\\xb3\\xb9\\xbc-\\xbe';

/** The characters that letters behind a backslash mean. */
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7, e: 27 };

const codeSource = (code: number): string => `\\u{${code.toString(16)}}`;

export const setOf = (code: number): string => `[${codeSource(code)}]`;

/** The set of a letter behind a backslash; a capital has all others. */
export function setOfLetter(letter: string, isInClass = false): string {
  const also = letter.toLowerCase() === 'w' && !isInClass ? ALSO_WORD : '';
  const members = (LETTERS[letter.toLowerCase()] ?? '') + also;
  return letter === letter.toLowerCase() ? `[${members}]` : `[^${members}]`;
}

function refuse(what: string, { at }: Cursor): never {
  throw new Error(`${what} at character ${at + 1} of it is not built`);
}

/** Reads one character, which may be written with a backslash, as its code point. */
export function codeFrom(cursor: Cursor): number {
  const { text, at } = cursor;
  const escaped = /\\(?:x([0-9A-Fa-f]{1,2})|x\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|([^]))/uy;
  escaped.lastIndex = at;
  const [whole, short, long, four, other] = escaped.exec(text) ?? [];
  if (whole === undefined) {
    const code = text.codePointAt(at) ?? 0;
    if (code === 0x5c) refuse('a single backslash', cursor);
    cursor.at += code > 0xffff ? 2 : 1;
    return code;
  }
  const hex = short ?? long ?? four;
  const code =
    hex === undefined ? (CONTROLS[other ?? ''] ?? other?.codePointAt(0)) : Number.parseInt(hex, 16);
  const isNamed =
    hex !== undefined || !/[0-9A-Za-z]/.test(other ?? '') || CONTROLS[other ?? ''] !== undefined;
  if (!isNamed || code === undefined || code > 0x10ffff || (code & 0xfff_800) === 0xd800)
    refuse(whole, cursor);
  cursor.at += whole.length;
  return code;
}

/** The set of a property by its name, which may begin with `^` for all others. */
function setOfProperty(name: string, isOpposite: boolean, isInClass: boolean): string | null {
  const isNegated = name.startsWith('^') !== isOpposite;
  const plain = name.replace(/^\^/, '').replaceAll(/[\s-]/g, '_');
  if (plain.toLowerCase() === 'word') return setOfLetter(isNegated ? 'W' : 'w', isInClass);
  // As a property, punctuation is that alone, without symbols.
  const members = plain.toLowerCase() === 'punct' ? '\\p{P}' : NAMED[plain.toLowerCase()];
  if (members !== undefined) return isNegated ? `[^${members}]` : `[${members}]`;
  const words = plain
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('_');
  for (const known of [plain, words, `Script=${plain}`, `Script=${words}`])
    try {
      const source = `\\${isNegated ? 'P' : 'p'}{${known}}`;
      new RegExp(source, 'v');
      return `[${source}]`;
    } catch {
      // JavaScript has no property of this name.
    }
  return null;
}

/** Reads an escape that stands for a set. It reads nothing and returns null if there is none. */
export function propertyFrom(cursor: Cursor, isInClass = false): string | null {
  const { text, at } = cursor;
  const letter = /\\(?:([dDsSwWhH])|([pP])\{([^{}]*)\})/y;
  letter.lastIndex = at;
  const [whole, simple, kind, name] = letter.exec(text) ?? [];
  if (whole === undefined) return null;
  const set =
    simple === undefined
      ? setOfProperty(name ?? '', kind === 'P', isInClass)
      : setOfLetter(simple, isInClass);
  if (set === null) refuse(whole, cursor);
  cursor.at += whole.length;
  return set;
}

let cased: readonly string[] | null = null;

/** All characters that have a case. */
function casedCharacters(): readonly string[] {
  const hasCase = /[\p{Cased}\p{Changes_When_Casefolded}\p{Changes_When_Casemapped}]/u;
  return (cased ??= Array.from({ length: 0x1f000 }, (_, code) =>
    (code & 0xff800) === 0xd800 ? '' : String.fromCodePoint(code),
  ).filter((character) => hasCase.test(character)));
}

const standsForSeveral = (character: string): boolean =>
  [...character.toUpperCase()].length > 1 || [...character.toLowerCase()].length > 1;

const inAnyCase = new Map<string, string>();

/** A set with its characters in any case. @throws Error if one of them, such as ß, stands for several letters then. */
export function anyCase(set: string): string {
  const known = inAnyCase.get(set) ?? withCases(set);
  inAnyCase.set(set, known);
  return known;
}

function withCases(set: string): string {
  const own = new RegExp(set, 'v');
  const folded = new RegExp(set, 'iv');
  const both = casedCharacters().filter((character) => folded.test(character));
  const several = both.find((character) => own.test(character) && standsForSeveral(character));
  if (several !== undefined)
    throw new Error(`${several} in any case, which stands for several letters, is not built`);
  return both.length === 0
    ? set
    : `[${set}${both.map((each) => codeSource(each.codePointAt(0) ?? 0)).join('')}]`;
}

/** One member of a class: the code point of a character, or the source of a set. */
function memberFrom(cursor: Cursor): number | string {
  const { text, at } = cursor;
  const named = /\[:(\^?)([A-Za-z]+):\]/y;
  named.lastIndex = at;
  const [whole, opposite, name] = named.exec(text) ?? [];
  if (whole !== undefined) {
    const members = NAMED[name?.toLowerCase() ?? ''];
    if (members === undefined) refuse(whole, cursor);
    cursor.at += whole.length;
    return opposite === '' ? members : `[^${members}]`;
  }
  if (text.startsWith('[', at)) {
    cursor.at++;
    return classFrom(cursor, false);
  }
  if (text.startsWith('\\b', at)) {
    cursor.at += 2;
    return 8;
  }
  return propertyFrom(cursor, true) ?? codeFrom(cursor);
}

/** Reads a class whose bracket was read. Within `&&` every side is a class of its own. */
export function classFrom(cursor: Cursor, ignoresCase: boolean): string {
  const { text } = cursor;
  const isNegated = text.startsWith('^', cursor.at);
  if (isNegated) cursor.at++;
  const sides: string[] = [];
  let members = '';
  const begin = cursor.at;
  const endSide = (): void => {
    if (members === '') refuse('an empty class', cursor);
    sides.push(`[${members}]`);
    members = '';
  };
  for (;;) {
    if (cursor.at >= text.length) refuse('a class without its end', cursor);
    if (text.startsWith(']', cursor.at) && cursor.at > begin) break;
    if (text.startsWith('&&', cursor.at)) {
      endSide();
      cursor.at += 2;
      continue;
    }
    const member = memberFrom(cursor);
    if (typeof member === 'string') {
      if (/^-(?!\]|&&)/.test(text.slice(cursor.at, cursor.at + 3))) refuse('a range from a set', cursor);
      members += member;
      continue;
    }
    const isRange = /^-(?!\]|&&)/.test(text.slice(cursor.at, cursor.at + 3)) && members !== '-';
    if (!isRange) {
      members += codeSource(member);
      continue;
    }
    cursor.at++;
    const last = memberFrom(cursor);
    if (typeof last === 'string' || last < member) refuse('such a range', cursor);
    members += `${codeSource(member)}-${codeSource(last)}`;
  }
  cursor.at++;
  endSide();
  const positive = sides.length === 1 ? (sides[0] ?? '') : `[${sides.join('&&')}]`;
  const inside = text.slice(begin, cursor.at);
  if (ignoresCase && /&&|(?<!\\)\[\^/.test(inside))
    refuse('an intersection or opposite within a class in any case', cursor);
  if (isNegated && /(?<!\\)\[\^/.test(inside)) refuse('an opposite within an opposite', cursor);
  const folded = ignoresCase ? anyCase(positive) : positive;
  return isNegated ? `[^${folded}]` : folded;
}
