/**
 * The two normal forms in which the Tinker cookbook's grader compares answers: LaTeX by the rules of the MATH benchmark (Hendrycks et al.,
 * 2021), and plain text after PRM800K (Lightman et al., 2023).
 */
import { pythonFloat } from '@rl-playground/base/pythonNumbers';
import { stripSpace } from '../python/text.ts';
import { latexToText } from './latexText.ts';

const TEXT = '\\text{';
/** A ratio of integers in Python's form: no sign on zero, no leading zeros. */
const INTEGER_RATIO = /^(0|-?[1-9][0-9]*)\/(0|-?[1-9][0-9]*)$/;
/** Digits from which on Python refuses to read an integer. */
const PYTHON_INTEGER_DIGITS = 4300;

/** The inside of a `\text{…}` that is the whole answer, or null. A line feed behind it is allowed, one inside it is not. */
function insideText(answer: string): string | null {
  const body = answer.endsWith('\n') ? answer.slice(0, -1) : answer;
  if (!body.startsWith(TEXT) || !body.endsWith('}')) return null;
  const inside = body.slice(TEXT.length, -1);
  return inside === '' || inside.includes('\n') ? null : inside;
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}

/** Writes `\sqrt3` as `\sqrt{3}`. Returns null if nothing follows a root. */
function bracedRoots(text: string): string | null {
  const [head = '', ...parts] = text.split('\\sqrt');
  if (parts.includes('')) return null;
  const braced = parts.map((part) => {
    if (part.startsWith('{')) return part;
    const radicand = firstCharacter(part);
    return `{${radicand}}${part.slice(radicand.length)}`;
  });
  return [head, ...braced].join('\\sqrt');
}

/** Writes `\frac12` and `\frac1{2}` as `\frac{1}{2}`. Text that ends behind one character stays as it is; null if nothing follows. */
function bracedFractions(text: string): string | null {
  const [head = '', ...parts] = text.split('\\frac');
  let out = head;
  for (const part of parts) {
    if (part === '') return null;
    if (part.startsWith('{')) {
      out += `\\frac${part}`;
      continue;
    }
    const above = firstCharacter(part);
    const rest = part.slice(above.length);
    if (rest === '') return text;
    const below = firstCharacter(rest);
    out += `\\frac{${above}}${below === '{' ? rest : `{${below}}${rest.slice(below.length)}`}`;
  }
  return out;
}

/** `3/4` → `\frac{3}{4}`. */
function slashToFraction(text: string): string {
  const match = INTEGER_RATIO.exec(text);
  if (match === null) return text;
  const [, above = '', below = ''] = match;
  const longest = Math.max(above.replace('-', '').length, below.replace('-', '').length);
  return longest > PYTHON_INTEGER_DIGITS ? text : `\\frac{${above}}{${below}}`;
}

/** `k = 5` → `5`, for a name of at most two characters, blanks included. */
function withoutName(text: string): string {
  const [left = '', right, ...more] = text.split('=');
  return right === undefined || more.length > 0 || Array.from(left.slice(0, 5)).length > 2 ? text : right;
}

/** The canonical form, or null if the text breaks a rule. */
function canonical(text: string): string | null {
  const plain = text
    .replaceAll('\n', '')
    .replaceAll('\\!', '')
    .replaceAll('\\\\', '\\')
    .replaceAll('tfrac', 'frac')
    .replaceAll('dfrac', 'frac')
    .replaceAll('\\left', '')
    .replaceAll('\\right', '')
    .replaceAll('^{\\circ}', '')
    .replaceAll('^\\circ', '')
    .replaceAll('\\$', '');
  const [value = '', ...units] = plain.split('\\text{ ');
  if (units.length > 1) return null;
  const dotted = value.replaceAll('\\%', '').replaceAll(' .', ' 0.').replaceAll('{.', '{0.');
  if (dotted === '') return '';
  const roots = bracedRoots(withoutName(dotted.startsWith('.') ? `0${dotted}` : dotted));
  const fractions = roots === null ? null : bracedFractions(roots.replaceAll(' ', ''));
  if (fractions === null) return null;
  return slashToFraction(fractions === '0.5' ? '\\frac{1}{2}' : fractions);
}

/**
 * An answer without unimportant parts: a whole-answer `\text{…}`, units in a last `\text{ …}`, sizes of brackets, degree, dollar and per
 * cent signs, blanks, a short name before `=`. Fractions and roots get their braces; `1/2` and `0.5` become `\frac{1}{2}`. If a rule does
 * not fit, only the first and the blanks at the ends go.
 */
export function normalizeLatex(answer: string): string {
  const trimmed = stripSpace(answer);
  const inside = insideText(trimmed);
  const bare = inside === null ? trimmed : stripSpace(inside);
  return canonical(bare) ?? bare;
}

const UNITS = 'degree cm centimeter meter mile second minute hour day week month year foot feet inch yard'
  .split(' ')
  .map((unit) => new RegExp(`${unit}(?:es)?s? *(?:\\^[0-9]+)?`, 'g'));

/** A comma with one digit before it, and three behind it that are followed by no other. */
const GROUPING_COMMA = /(\p{Nd}),(\p{Nd}{3})($|\P{Nd})/gu;

/**
 * Removes the commas that group digits, in passes until nothing changes. A match takes the character behind its digits with it: `1,234,567`
 * loses both commas, `1,234,567,890` keeps one and is then no number.
 */
function withoutGrouping(text: string): string {
  for (let before = text; ;) {
    const after = before.replace(GROUPING_COMMA, '$1$2$3');
    if (after === before) return after;
    before = after;
  }
}

/** The text of the integer that a number is within 1e-7 of. Doubles round what is longer, as in Python. */
function wholeText(value: number, toInteger: (value: number) => number): string {
  return `${BigInt(toInteger(value))}`;
}

function latexAsPlain(text: string, exact: boolean): string {
  const spaced = text
    .replaceAll('\\tfrac', '\\frac')
    .replaceAll('\\dfrac', '\\frac')
    .replaceAll('\\frac', ' \\frac');
  const plain = latexToText(spaced, exact);
  if (plain === null) return text;
  return stripSpace(
    plain
      .replaceAll('√', 'sqrt')
      .replaceAll('π', 'pi')
      .replaceAll('∞', 'inf')
      .replaceAll('∪', 'U')
      .replaceAll('·', '*')
      .replaceAll('×', '*'),
  );
}

/** A unit at the end, behind a number or a bracket; other words that look like one are part of the answer. */
const UNIT_BEHIND =
  /([0-9)}] *)(?:degree|cm|centimeter|meter|mile|second|minute|hour|day|week|month|year|foot|feet|inch|yard)(?:es)?s? *(?:\^\{?[0-9]\}?)?$/;

function withoutUnits(text: string): string {
  return UNITS.reduce((rest, unit) => rest.replace(unit, ''), text).replace(/\^ *\\circ/g, '');
}

/** A number so close to an integer counts as one. */
const WHOLE_TOLERANCE = 1e-7;

function isWhole(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && Math.abs(value - Math.round(value)) <= WHOLE_TOLERANCE;
}

/** Says whether a text is a number that counts as an integer, with or without grouping commas. */
export function isWholeText(text: string): boolean {
  return isWhole(pythonFloat(withoutGrouping(text)));
}

/**
 * An answer as plain text, in small letters, without `\text{…}`, dollar and per cent signs, units, blanks and braces. `or` and `and` become
 * commas, millions powers of ten, LaTeX text, `7 3/4` becomes `7+3/4`, and a number within 1e-7 of an integer becomes that integer, as
 * a double. If it is `exact`, which the cookbook is not, numbers keep their digits, other numbers between blanks stay apart, and fractions,
 * powers and roots keep what belongs to them.
 */
export function normalizePlain(answer: string, exact = false): string {
  const worded = (insideText(answer) ?? answer)
    .replaceAll('\\%', '%')
    .replaceAll('\\$', '$')
    .replaceAll('$', '')
    .replaceAll('%', '')
    .replaceAll(' or ', ' , ')
    .replaceAll(' and ', ' , ')
    .replaceAll('million', '*10^6')
    .replaceAll('billion', '*10^9')
    .replaceAll('trillion', '*10^12');
  const bare = exact
    ? worded.replace(UNIT_BEHIND, '$1').replace(/\^ *\{? *\\circ *\}?/g, '')
    : withoutUnits(worded);
  const unwrapped = bare.startsWith('{') && bare.endsWith('}') ? bare.slice(1, -1) : bare;
  const ungrouped = (
    exact ? unwrapped.replaceAll(/\\lt(?![a-z])/g, '<').replaceAll(/\\gt(?![a-z])/g, '>') : unwrapped
  ).replace(/,\\! */g, '');
  const value = exact ? null : pythonFloat(ungrouped);
  const number = isWhole(value) ? wholeText(value, Math.round) : ungrouped;
  const isLatex = number.includes('\\') || (exact && number.includes('{'));
  const line = (isLatex ? latexAsPlain(number, exact) : number).replace(/- */g, '-');
  const joined = exact
    ? line.replace(/([0-9]) +([0-9]+\/)/g, '$1+$2').replace(/([0-9]) +(?=[0-9])/g, '$1_')
    : line.replace(/([0-9]) +([0-9])/g, '$1+$2');
  const related = exact
    ? joined.replaceAll(/≤|=</g, '<=').replaceAll(/≥|=>/g, '>=').replaceAll('≠', '!=')
    : joined;
  const text = related.replaceAll(' ', '').replaceAll('{', '').replaceAll('}', '').toLowerCase();
  if (exact || !isWholeText(text)) return text;
  // The cookbook cuts here where it rounded above.
  return wholeText(pythonFloat(text.replaceAll(',', '')) ?? 0, Math.trunc);
}

const BRACKETS = ['(', ')', '[', ']'];

/** The elements of a tuple or an interval, or the text as its only one; none where it is empty. */
export function tupleElements(text: string): string[] {
  const plain = withoutGrouping(text);
  if (plain === '') return [];
  const inside = plain.slice(1, -1);
  const bracketed =
    inside !== '' &&
    BRACKETS.includes(plain.charAt(0)) &&
    BRACKETS.includes(plain.charAt(plain.length - 1)) &&
    !BRACKETS.some((bracket) => inside.includes(bracket));
  return bracketed ? inside.split(',').map(stripSpace) : [plain];
}
