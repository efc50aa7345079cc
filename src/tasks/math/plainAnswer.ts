/** The second normal form in which the Tinker cookbook's grader compares answers: plain text, after PRM800K (Lightman et al., 2023). */
import { stripSpace } from '../python/text.ts';
import { insideText } from './latexAnswer.ts';
import { latexToText } from './latexText.ts';
import { pythonFloat } from '../python/numbers.ts';

const UNITS = 'degree cm centimeter meter mile second minute hour day week month year foot feet inch yard'
  .split(' ')
  .map((unit) => new RegExp(`${unit}(?:es)?s? *(?:\\^[0-9]+)?`, 'g'));

/** A comma with one digit before it, and three behind it that are followed by no other. */
const GROUPING_COMMA = /(\p{Nd}),(\p{Nd}{3})($|\P{Nd})/gu;

/**
 * Without the commas that group digits. Passes are made from left to right until nothing changes, and a match takes the character
 * behind its digits with it: `1,234,567` loses both commas, `1,234,567,890` keeps one, which is then no number.
 */
export function withoutGrouping(text: string): string {
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

function latexAsPlain(text: string): string {
  const spaced = text
    .replaceAll('\\tfrac', '\\frac')
    .replaceAll('\\dfrac', '\\frac')
    .replaceAll('\\frac', ' \\frac');
  const plain = latexToText(spaced);
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

function withoutUnits(text: string): string {
  return UNITS.reduce((rest, unit) => rest.replace(unit, ''), text).replace(/\^ *\\circ/g, '');
}

/** How far from an integer a number may be and still count as one. */
const WHOLE_TOLERANCE = 1e-7;

function isWhole(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && Math.abs(value - Math.round(value)) <= WHOLE_TOLERANCE;
}

/** Whether a text is a number that counts as an integer, grouping commas aside. */
export function isWholeText(text: string): boolean {
  return isWhole(pythonFloat(withoutGrouping(text)));
}

/**
 * An answer as plain text: without `\text{…}` around it, dollar and per cent signs, units, blanks and braces; `or` and `and` as
 * commas; millions as powers of ten; a number within 1e-7 of an integer as that integer; LaTeX as text; `7 3/4` as `7+3/4`; in
 * small letters.
 */
export function normalizePlain(answer: string): string {
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
  const bare = withoutUnits(worded);
  const unwrapped = bare.startsWith('{') && bare.endsWith('}') ? bare.slice(1, -1) : bare;
  const ungrouped = unwrapped.replace(/,\\! */g, '');
  const value = pythonFloat(ungrouped);
  const number = isWhole(value) ? wholeText(value, Math.round) : ungrouped;
  const text = (number.includes('\\') ? latexAsPlain(number) : number)
    .replace(/- */g, '-')
    .replace(/([0-9]) +([0-9])/g, '$1+$2')
    .replaceAll(' ', '')
    .replaceAll('{', '')
    .replaceAll('}', '')
    .toLowerCase();
  if (!isWholeText(text)) return text;
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
