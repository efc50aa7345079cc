/** Upper and lower case, and the kinds of characters, by Python's rules. */
import { WHITE_SPACE } from '@rl-playground/base/pythonText';
import { characterAt, pointsOf, TemplateError } from './values.ts';

const TITLE_DIGRAPHS: Readonly<Record<string, string>> = {
  Ǆ: 'ǅ',
  ǅ: 'ǅ',
  ǆ: 'ǅ',
  Ǉ: 'ǈ',
  ǈ: 'ǈ',
  ǉ: 'ǈ',
  Ǌ: 'ǋ',
  ǋ: 'ǋ',
  ǌ: 'ǋ',
  Ǳ: 'ǲ',
  ǲ: 'ǲ',
  ǳ: 'ǲ',
};

/** The title case of one character. */
function titled(point: string): string {
  const digraph = TITLE_DIGRAPHS[point];
  if (digraph !== undefined) return digraph;
  if (/[\u10d0-\u10ff]/.test(point)) return point;
  if (/[\u1f80-\u1fff]/.test(point))
    throw new TemplateError(`the title case of "${point}" is not known here`);
  const [first = '', ...rest] = point.toUpperCase();
  return first + rest.join('').toLowerCase();
}

export function capitalized(text: string): string {
  const first = characterAt(text, 0) ?? '';
  return titled(first) + text.slice(first.length).toLowerCase();
}

const CASED = /\p{Cased}/u;

/** Python's `str.title`: a cased character after another is lower, and the others begin a word. */
export function titleCased(text: string): string {
  let after = false;
  const words = text.toLowerCase();
  const lower = pointsOf(words);
  const points = pointsOf(text);
  return points
    .map((point, i) => {
      const inside = after;
      after = CASED.test(point);
      // The end of a word has a sigma of its own, which only the whole word shows.
      const low = lower.length === points.length ? lower[i] : point.toLowerCase();
      return inside ? (low ?? point) : titled(point);
    })
    .join('');
}

export function swapped(text: string): string {
  return pointsOf(text)
    .map((point) => (/\p{Uppercase}/u.test(point) ? point.toLowerCase() : point.toUpperCase()))
    .join('');
}

/** Python's `str.casefold`, for the characters whose folding is their lower case. */
export function folded(text: string): string {
  const plain = text.replaceAll('ß', 'ss');
  if (pointsOf(plain).some((point) => point > '\xff'))
    throw new TemplateError('casefold of such letters is not known here');
  return plain.toLowerCase().replaceAll('µ', 'μ');
}

/** Characters that are digits to Python, besides decimal ones: superscripts, and numbers in circles and brackets. */
const OTHER_DIGITS =
  /^[\u00b2\u00b3\u00b9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]$/u;

/** A question about each character. An empty text has none of them. */
const KINDS: Readonly<Record<string, (point: string) => boolean>> = {
  isalpha: (point) => /\p{L}/u.test(point),
  isdecimal: (point) => /\p{Nd}/u.test(point),
  isdigit: (point) => /\p{Nd}/u.test(point) || OTHER_DIGITS.test(point),
  isalnum: (point) => /[\p{L}\p{N}]/u.test(point),
  isspace: (point) => WHITE_SPACE.includes(point),
};

function isNumeric(point: string): boolean {
  if (/[\p{Script=Han}]/u.test(point))
    throw new TemplateError('isnumeric of Chinese characters is not known here');
  return /\p{N}/u.test(point);
}

function isTitle(points: readonly string[]): boolean {
  let after = false;
  let found = false;
  for (const point of points) {
    const upper = /[\p{Uppercase}\p{Lt}]/u.test(point);
    const lower = /\p{Lowercase}/u.test(point);
    if ((upper && after) || (lower && !after)) return false;
    after = upper || lower;
    found ||= after;
  }
  return found;
}

const all = (test: (point: string) => boolean, points: readonly string[]): boolean =>
  points.length > 0 && points.every(test);

/** Python's questions about a whole text: `isalpha`, `isupper` and so on; null for a name that is none of them. */
export function isOfKind(name: string, text: string): boolean | null {
  const points = pointsOf(text);
  const kind = KINDS[name];
  if (kind !== undefined) return all(kind, points);
  switch (name) {
    case 'isascii':
      return points.every((point) => point < '\x80');
    case 'islower':
      return /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);
    case 'isupper':
      return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
    case 'istitle':
      return isTitle(points);
    case 'isnumeric':
      return all(isNumeric, points);
    case 'isidentifier':
      return /^[\p{XIDS}_]\p{XIDC}*$/u.test(text);
    case 'isprintable':
      return !/[\p{C}\p{Z}]/u.test(text.replaceAll(' ', ''));
    default:
      return null;
  }
}
