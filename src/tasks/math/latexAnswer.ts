/**
 * The first of two normal forms in which the Tinker cookbook's grader compares answers: LaTeX in, LaTeX out. The rules are those
 * of the MATH benchmark (Hendrycks et al., 2021).
 */
import { stripSpace } from '../python/text.ts';

const TEXT = '\\text{';
/** Written in a canonical way, as Python prints integers: no sign on zero, no leading zeros. */
const INTEGER_RATIO = /^(0|-?[1-9][0-9]*)\/(0|-?[1-9][0-9]*)$/;
/** Digits from which on Python refuses to read an integer. */
const PYTHON_INTEGER_DIGITS = 4300;

/** The inside of a `\text{…}` that is the whole answer, or null. A line feed behind it is allowed, one inside it is not. */
export function insideText(answer: string): string | null {
  const body = answer.endsWith('\n') ? answer.slice(0, -1) : answer;
  if (!body.startsWith(TEXT) || !body.endsWith('}')) return null;
  const inside = body.slice(TEXT.length, -1);
  return inside === '' || inside.includes('\n') ? null : inside;
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}

/** `\sqrt3` → `\sqrt{3}`; null where nothing follows a root. */
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

/** `\frac12` and `\frac1{2}` → `\frac{1}{2}`; unchanged where one character ends the text; null where nothing does. */
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

/** Null where the text breaks one of the rules. */
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
 * An answer without what does not matter: a whole-answer `\text{…}`, units in a last `\text{ …}`, sizes of brackets, degree,
 * dollar and per cent signs, blanks, a short name before `=`; fractions and roots with their braces, `1/2` and `0.5` as
 * `\frac{1}{2}`. Where a rule does not fit, the answer stays as it is but for the first and the blanks at its ends.
 */
export function normalizeLatex(answer: string): string {
  const trimmed = stripSpace(answer);
  const inside = insideText(trimmed);
  const bare = inside === null ? trimmed : stripSpace(inside);
  return canonical(bare) ?? bare;
}
