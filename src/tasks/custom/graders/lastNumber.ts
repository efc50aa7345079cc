/** The number that a text ends on. A piece of an expression is none: x^2 does not say 2, nor 10-12 12. */
import { stripSpace } from '../../python/text.ts';
import { negative } from '../../math/fraction.ts';
import { type Numeral, numeralAt } from '../../math/numerals.ts';
import { isUnit, isUnitWord, type Reading, readWhole, timeEnd, timeText } from '../../math/reading.ts';
import { plainSigns } from '../../math/signs.ts';

/** A number in a text, or something that has digits and is none. */
interface Token {
  readonly start: number;
  readonly end: number;
  /** The value; a piece of an expression has none and is null. */
  readonly reading: Reading | null;
}

/** The last number of a text, or the expression or list in its place. */
export interface Found {
  readonly text: string;
  /** The value, or null for text without one. */
  readonly reading: Reading | null;
}

const START = /\d|\.\d|\\[dtc]?frac(?![a-zA-Z])|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒]/g;
/** Characters on either side that decide what a number belongs to. */
const AROUND = 24;
const RUN = /[\d.,']*\d/y;
/** A letter that stands for a number; the article and the pronoun do not. */
const VARIABLE = '[B-HJ-Zb-hj-zα-ωπ](?![A-Za-z])';
const OPERAND = String.raw`(?:[\d(√$.]|\\[a-z]|${VARIABLE})`;

/** An operator behind a number that makes it a piece. */
const GOES_ON = new RegExp(
  String.raw`^(?:[ \t]*(?:\*(?!\*)|/|\\times|\\cdot|\\div|\\pm|±|\+|-)[ \t]*-?${OPERAND}|[ \t]*\^(?!\{?[ \t]*\\circ)|[ \t]*(?:\\(?:sqrt|pi|theta|alpha|beta|sin|cos|tan|log|ln)(?![a-zA-Z])|[√π])|\((?=[-\d])|[eE]\d)`,
);
/** The text before a number that belongs to a root, a function, a fraction or a product. */
const INSIDE =
  /(?:\\sqrt(?:\[\w*\])?|sqrt|√|\}|\\(?:log|ln|sin|cos|tan|exp|[dtc]?frac))[ \t]*[{(]-?$|(?:(?<![A-Za-z])[A-Za-z]|\d)[{(]-?$|(?:√|\\sqrt|\\pi|π)[ \t]*$/;
const INDEX = /(?:[\p{L}\p{N})\]}][ \t]*[\^_][{(]?|(?:(?<!\p{L})\p{L}|[)\]}])\*\*)[-+]?$/u;
const CURRENCY = /(?:(?:US)?\\?\$|[€£¥₹]|\b(?:USD|EUR|GBP|Rs\.?))[ \t]*$/;
const OPERATED = /(?:[\d)\]}%√]|(?<![A-Za-z])[A-Za-z])[ \t]*(?:[-+*/^±]|\\times|\\cdot|\\div|\\pm)[ \t]*-?$/;

type Role = 'number' | 'negative' | 'piece' | 'name';

/** The part that a number plays behind `before`, which ends where it begins, and where its sign and currency begin. */
function roleBehind(before: string): { readonly role: Role; readonly length: number } {
  const bare = before.replace(CURRENCY, '');
  const length = before.length - bare.length;
  if (INDEX.test(before)) return { role: 'name', length: 0 };
  if (INSIDE.test(before)) return { role: 'piece', length: 0 };
  const word = /\p{L}+$/u.exec(before)?.[0];
  if (word !== undefined) {
    const name = word.length === 1 || /^(?:[cmk]m|ft|in)$/.test(word);
    return { role: name ? 'name' : 'number', length: 0 };
  }
  // Two stars are bold print, and a star or a dash at the start of a line is an item of a list.
  if (OPERATED.test(bare) && !/\*\*[ \t]*$/.test(bare)) return { role: 'piece', length };
  const sign =
    /(?<![\p{L}\p{N}][ \t]*)(-)$|(?<=[=(:[{,$][ \t]*)(-)[ \t]+$|\b(?:minus|negative)[ \t]+$/iu.exec(bare);
  if (sign !== null) return { role: 'negative', length: length + sign[0].length };
  const spaced = /(?<=\p{L}[ \t]+)-$/u.exec(bare);
  return spaced === null ? { role: 'number', length } : { role: 'negative', length: length + 1 };
}

/** Says whether what follows a number makes it a piece of something. */
function goesOn(behind: string): boolean {
  if (GOES_ON.test(behind)) {
    // A word behind a slash is a unit: 5 km/h.
    return !/^[ \t]*\/[ \t]*[A-Za-z]{2}/.test(behind);
  }
  const word = /^\p{L}+/u.exec(behind)?.[0];
  return word !== undefined && !isUnitWord(word);
}

const signed = (numeral: Numeral, minus: boolean): Numeral =>
  minus ? { ...numeral, value: negative(numeral.value) } : numeral;

/** The token whose digits begin at `at`; null for digits that belong to a name, as in x_2. */
function tokenAt(text: string, at: number): { readonly token: Token | null; readonly end: number } {
  const { role, length } = roleBehind(text.slice(Math.max(0, at - AROUND), at));
  const start = at - length;
  const time = timeEnd(text, at);
  if (time !== null && role === 'number')
    return {
      token: { start, end: time, reading: { kind: 'text', text: timeText(text.slice(at, time)) } },
      end: time,
    };
  const found = numeralAt(text, at);
  RUN.lastIndex = at;
  const run = at + (RUN.exec(text)?.[0].length ?? 0);
  const end = Math.max(found?.end ?? at + 1, run);
  if (role === 'name') return { token: null, end };
  const whole =
    found !== null && end === found.end && role !== 'piece' && !goesOn(text.slice(end, end + AROUND));
  if (whole) {
    const numeral = signed(found.numeral, role === 'negative');
    return { token: { start, end, reading: { kind: 'number', numeral } }, end };
  }
  const list = role === 'number' && end > (found?.end ?? end) ? readWhole(text.slice(at, end)) : null;
  return { token: { start, end, reading: list?.kind === 'list' ? list : null }, end };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (START.lastIndex = 0; ;) {
    const at = START.exec(text)?.index;
    if (at === undefined) return tokens;
    const { token, end } = tokenAt(text, at);
    if (token !== null) tokens.push(token);
    START.lastIndex = end;
  }
}

const OF = /^\s*(?:out\s+)?of\s+(?:the\s+)?$/i;
const CHOICE = /^[\s*$]*(?:[,;]?\s*\b(?:and|or)\b)[\s*$]*$/i;
const COMMA = /^[\s*$]*[,;][\s*$]*$/;
/** Says whether a gap joins numbers of a short answer, as commas do: 5 to 7, 2 hours 30. */
const joins = (gap: string): boolean => /^\s*to\s*$/i.test(gap) || (/\p{L}/u.test(gap) && isUnit(gap));
const LONGEST_GAP = 16;

/** The text of a token, with all that hangs on a piece. */
function shown(text: string, { start, end, reading }: Token): string {
  if (reading !== null) return stripSpace(text.slice(start, end));
  const before = /\S*$/.exec(text.slice(Math.max(0, start - AROUND), start))?.[0] ?? '';
  const behind = /^[^\s.,;:!?]*/.exec(text.slice(end, end + AROUND))?.[0] ?? '';
  return stripSpace(before + text.slice(start, end) + behind);
}

function listOf(tokens: readonly Token[]): Reading | null {
  const members = tokens.map(({ reading }) => reading).filter((reading) => reading !== null);
  return members.length < tokens.length ? null : { kind: 'list', brackets: '', members };
}

/**
 * The last number of a text, the first of `18 of 20`, or the list that it ends on. Numbers joined by “and” or “or” are a list; numbers between
 * commas are one only if `commas` says so, because a sentence has commas too. Linear in the length of the text.
 */
export function lastNumber(given: string, commas: boolean): Found | null {
  const plain = plainSigns(given);
  const text = plain.length === given.length ? given : plain;
  const tokens = tokensOf(plain);
  const between = (i: number): string => {
    const [before, behind] = [tokens[i - 1], tokens[i]];
    if (before === undefined || behind === undefined || behind.start - before.end > LONGEST_GAP) return 'x';
    return plain.slice(before.end, behind.start);
  };
  let last = tokens.length - 1;
  if (OF.test(between(last)) && tokens[last - 1]?.reading?.kind === 'number') last--;
  const end = tokens[last];
  if (end === undefined) return null;
  let first = last;
  let joined = false;
  for (; first > 0; first--) {
    const gap = between(first);
    // A piece of an expression is no second answer: 5x/5 or 20.
    if (tokens[first - 1]?.reading === null) break;
    if (CHOICE.test(gap)) joined = true;
    else if (!COMMA.test(gap) && !(commas && joins(gap))) break;
  }
  const members = tokens.slice(first, last + 1);
  if (members.length === 1 || !(joined || commas)) return { text: shown(text, end), reading: end.reading };
  return { text: stripSpace(text.slice(members[0]?.start ?? 0, end.end)), reading: listOf(members) };
}
