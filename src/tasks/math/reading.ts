/** A text read as a whole by its value: one number, a list of numbers or of lists, or a time, a date or a ratio. */
import { stripSpace } from '../python/text.ts';
import { negative } from './fraction.ts';
import { type Numeral, numeralAt, wholeNumeral } from './numerals.ts';
import { plainSigns } from './signs.ts';

export type Reading =
  | { readonly kind: 'number'; readonly numeral: Numeral }
  | {
      readonly kind: 'list';
      /** The brackets around it, such as `[)`, in which its members have an order. A set and a list without brackets have none. */
      readonly brackets: string;
      readonly members: readonly Reading[];
      /** The number that it is where its one comma is a decimal point, as in 1,5. */
      readonly decimal?: Numeral;
    }
  | { readonly kind: 'text'; readonly text: string };

/** The longest text that is read by value. */
const MOST_CHARACTERS = 10_000;
const MOST_WRAPS = 8;

const WORDED = /\\(?:text|textbf|textit|textrm|textsf|mathrm|mathbf|mathsf|mbox|operatorname)\{([^{}]*)\}/g;
const WRAPS: readonly (readonly [string, string])[] = [
  ['**', '**'],
  ['__', '__'],
  ['*', '*'],
  ['`', '`'],
  ['$$', '$$'],
  ['$', '$'],
  [String.raw`\(`, String.raw`\)`],
  [String.raw`\[`, String.raw`\]`],
  [String.raw`\boxed{`, '}'],
  ['"', '"'],
  ['“', '”'],
];
/** A name before a value: `x =`, `f(x) =`, `x_1 =`, `(x, y) =`. */
const NAME =
  /^(?:(?:[A-Za-z]{1,2}|\\[a-z]+)(?:_\{?\w+\}?)?(?:\([a-z]\))?|\([a-z](?:, ?[a-z]){0,4}\))\s*(?:=|\\in(?![a-z])|∈)\s*/;
const BLANK = /(?:\\[,;:! ]|\\q?quad(?![a-zA-Z])|[~\s])*/y;
const BLANK_ENDS = ['\\,', '\\;', '\\:', '\\!', '\\quad', '\\qquad', '~'];

/** The text without blanks at its ends, those of LaTeX included. */
function stripBlanks(text: string): string {
  BLANK.lastIndex = 0;
  let bare = stripSpace(text.slice(BLANK.exec(text)?.[0].length ?? 0));
  for (let i = 0; i < MOST_WRAPS; i++) {
    const blank = BLANK_ENDS.find((each) => bare.endsWith(each));
    if (blank === undefined) return bare;
    bare = stripSpace(bare.slice(0, -blank.length));
  }
  return bare;
}

function unwrapped(text: string): string | null {
  const wrap = WRAPS.find(
    ([open, close]) =>
      text.length > open.length + close.length && text.startsWith(open) && text.endsWith(close),
  );
  if (wrap === undefined) return null;
  const inside = text.slice(wrap[0].length, text.length - wrap[1].length);
  return inside.includes(wrap[0]) ? null : inside;
}

/** The text without what only sets it off: dollar signs around it, stars, `\text{…}`, a name before it, a full stop behind it. */
export function undressed(text: string): string {
  let bare = stripSpace(
    plainSigns(text)
      .replaceAll(WORDED, ' $1 ')
      .replaceAll(/\\(?:left|right|displaystyle)(?![a-zA-Z])/g, ''),
  );
  for (let i = 0; i < MOST_WRAPS; i++) {
    const next = unwrapped(bare) ?? (/[^.]\.$/.test(bare) ? bare.slice(0, -1) : bare).replace(NAME, '');
    const shorter = stripBlanks(next.startsWith('=') ? next.slice(1) : next);
    if (shorter === bare) break;
    bare = shorter;
  }
  return bare;
}

/** Words that are no unit behind a number, because they change it or make it something else. */
const NO_UNITS: ReadonlySet<string> = new Set(
  `or and of to out than then times plus minus over under not more less about nor either half halves dozen quarter third thirds fifths
  pi sqrt sin cos tan log ln exp inf mod modulo squared cubed factorial hundred thousand million billion trillion am pm ad bc oclock
  through until till versus vs remainder is are if with without except but between from point negative infinity k`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
const SHORT_UNITS: ReadonlySet<string> = new Set('m g s h l L N J W V A K C F'.split(' '));
const DEGREES = /^(?:\^?\{? ?\\circ ?\}?|\^\{\\circ\}|\\degree|[°º]) ?[CFK]?$/;
const MONEY = /^(?:[€£¥₹¢]|\\?\$)$/;
const MOST_UNIT_WORDS = 5;

export const isUnitWord = (word: string): boolean =>
  SHORT_UNITS.has(word) || (/^\p{L}{2,}$/u.test(word) && !NO_UNITS.has(word.toLowerCase()));

/** Says whether a text behind a number is a unit: `cm^2`, `miles per hour`, `°C`, `€`, or nothing. */
export function isUnit(behind: string): boolean {
  const unit = stripSpace(behind.replaceAll(/\\[,;:! ]|~/g, ' ').replaceAll(' ^', '^'));
  if (unit === '' || DEGREES.test(unit) || MONEY.test(unit)) return true;
  if (unit.length > 60) return false;
  const words = unit.split(/[\s/*]+|(?<=\p{L})-(?=\p{L})/u);
  return (
    words.length <= MOST_UNIT_WORDS &&
    words.every((word) => isUnitWord(word.replace(/(?:\^\{?-?[1-9]\}?|[²³]|\.)$/, '')))
  );
}

/** A number alone, or with a unit. */
function readNumeral(text: string): Numeral | null {
  const bare = undressed(text);
  const found = numeralAt(bare, 0);
  return found !== null && isUnit(bare.slice(found.end)) ? found.numeral : null;
}

const TIMES = [
  /^\d{1,2}:\d{2}(?::\d{2})?(?![:\d])(?: ?[ap]\.? ?m\b\.?)?/iy,
  /^\d{1,2} ?[ap]\.? ?m\b\.?/iy,
  /^\d+(?::\d+)+/y,
  /^\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\d)/y,
  /^\d{1,2}([-/.])\d{1,2}\1(?:\d{2}|\d{4})(?![\d.])/y,
].map(({ source, flags }) => new RegExp(source.slice(1), flags));

/** The end of a time, a date or a ratio such as 7:2 that begins at a place; null if none does. */
export function timeEnd(text: string, at: number): number | null {
  for (const pattern of TIMES) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) return at + found[0].length;
  }
  return null;
}

/** The same text for a time, however its letters are written. */
export const timeText = (text: string): string => text.toLowerCase().replaceAll(/[\s.](?=[apm])|\.$|\s/g, '');

const OPENINGS = ['(', '[', '\\{', '{'];
const CLOSINGS = [')', ']', '\\}', '}'];
const MOST_DEPTH = 3;
/** Brackets, and the marks that part the members of a list: a comma that marks no thousands, a semicolon, “and” or “or”. */
const BETWEEN =
  /[()[\]{}]|(?<!\\);|(?<!\\),(?:\s*\b(?:and|or)\b)?(?!\d{3}(?!\d))|(?<![\d\\]),|\b(?:and|or)\b/gi;
/** Commas that mark thousands and commas that part numbers, which nobody can tell apart. */
const TWO_COMMAS = /\d,\d{3},\d{1,2}(?!\d)|\d,\d{1,2},\d{3}(?!\d)/;
const DECIMAL_COMMA = /^-?\d+,\d+$/;

/** The parts of a text between commas that no bracket holds; null where brackets do not match. */
function partsOf(text: string): string[] | null {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: mark, index } of text.matchAll(BETWEEN)) {
    if ('([{'.includes(mark)) depth++;
    else if (')]}'.includes(mark)) depth--;
    else if (depth === 0) {
      parts.push(text.slice(start, index));
      start = index + mark.length;
    }
    if (depth < 0) return null;
  }
  return depth === 0 ? [...parts, text.slice(start)] : null;
}

/** The list in brackets, or without any; a single number in brackets is that number. */
function readList(text: string, depth: number): Reading | null {
  if (TWO_COMMAS.test(text)) return null;
  const outer = partsOf(text) ?? [];
  const opening = OPENINGS.find((each) => text.startsWith(each));
  const closing = CLOSINGS.find((each) => text.endsWith(each));
  const held = outer.length === 1 && opening !== undefined && closing !== undefined;
  if (outer.length < 2 && !held) return null;
  const inside = held ? text.slice(opening.length, text.length - closing.length) : text;
  const parts = held ? partsOf(inside) : outer;
  const members = parts?.map((part) => readAt(part, depth + 1)) ?? [];
  const read = members.filter((member) => member !== null);
  if (read.length === 0 || read.length < members.length) return null;
  const set = !held || (opening.endsWith('{') && closing.endsWith('}'));
  const [only] = read;
  if (read.length === 1 && only !== undefined)
    return only.kind === 'number' && (set || `${opening}${closing}` === '()') ? only : null;
  const decimal = DECIMAL_COMMA.test(text) ? wholeNumeral(text.replace(',', '.')) : null;
  return {
    kind: 'list',
    brackets: set ? '' : `${opening}${closing}`,
    members: read,
    ...(decimal && { decimal }),
  };
}

const BOTH = /^(?:±|\\pm)\s*/;

/** Both numbers behind ±. */
function readBoth(text: string): Reading | null {
  const numeral = BOTH.test(text) ? readNumeral(text.replace(BOTH, '')) : null;
  if (numeral === null) return null;
  const members = [numeral, { ...numeral, value: negative(numeral.value) }];
  return { kind: 'list', brackets: '', members: members.map((each) => ({ kind: 'number', numeral: each })) };
}

function readAt(text: string, depth: number): Reading | null {
  if (depth > MOST_DEPTH) return null;
  const bare = undressed(text);
  if (timeEnd(bare, 0) === bare.length) return { kind: 'text', text: timeText(bare) };
  const numeral = readNumeral(bare);
  return numeral === null ? (readBoth(bare) ?? readList(bare, depth)) : { kind: 'number', numeral };
}

/** Reads a whole text by value, or gives null: nothing of it may be left, but a unit and what sets it off. */
export const readWhole = (text: string): Reading | null =>
  text.length > MOST_CHARACTERS ? null : readAt(text, 0);

/** The rules by which readings are compared. */
interface Comparison {
  /** Says whether two numbers are the same. */
  readonly same: (truth: Numeral, given: Numeral) => boolean;
  /** A tuple or an interval is told from another by its brackets. */
  readonly brackets: boolean;
}

/** Longer lists are compared in their order. */
const MOST_MEMBERS = 200;

/** Says whether each member has one of its own on the other side. */
function sameMembers(truth: readonly Reading[], given: readonly Reading[], comparison: Comparison): boolean {
  const left = [...given];
  return truth.every((member) => {
    const at = left.findIndex((other) => sameReading(member, other, comparison));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Says whether what was given is the truth: the same number, the same members of a list, the same time. */
export function sameReading(truth: Reading, given: Reading, comparison: Comparison): boolean {
  const { same, brackets } = comparison;
  if (truth.kind === 'text' || given.kind === 'text')
    return truth.kind === 'text' && given.kind === 'text' && truth.text === given.text;
  if (truth.kind === 'number') {
    const numeral = given.kind === 'number' ? given.numeral : given.decimal;
    return numeral !== undefined && same(truth.numeral, numeral);
  }
  if (given.kind === 'number' || truth.members.length !== given.members.length) return false;
  if (brackets && truth.brackets !== given.brackets) return false;
  if (truth.brackets === '' && truth.members.length <= MOST_MEMBERS)
    return sameMembers(truth.members, given.members, comparison);
  return truth.members.every((member, i) => {
    const other = given.members[i];
    return other !== undefined && sameReading(member, other, comparison);
  });
}

const TAIL = '####';

/**
 * The part of a row's answer that counts: the line behind the last `####`, as in GSM8K's column `answer`, or else the last `\boxed{…}`, as in
 * MATH's column `solution`, or else the whole.
 */
export function goldPart(answer: string, boxed: (text: string) => string | null): string {
  const at = answer.lastIndexOf(TAIL);
  if (at >= 0) {
    const [line = ''] = answer
      .slice(at + TAIL.length)
      .trimStart()
      .split('\n');
    const tail = stripSpace(line.startsWith(':') ? line.slice(1) : line);
    if (tail !== '') return tail;
  }
  return stripSpace((answer.includes(String.raw`\boxed`) ? boxed(answer) : null) ?? answer);
}
