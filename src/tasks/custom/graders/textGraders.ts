/** Graders that compare a text with the answer, and what a grader is. */
import { RE2JS } from 're2js';
import { messageOf } from '@rl-playground/base/errors';
import { extractAnswer, formFault } from '../../gym/shared/answerTag.ts';
import { boxedAnswer, boxedGold, sameAnswer } from '../../math/boxedAnswer.ts';
import { MOST_ANSWER } from '../../math/expression.ts';
import { stripSpace } from '../../python/text.ts';
import type { MatchedBy } from '../../define/types.ts';
import type { SettingsOf } from '../../define/definition.ts';

/** A grader's reading of a completion, and its judgement. */
export interface Verdict {
  /** The text that was taken for the answer, or null. */
  readonly extracted: string | null;
  readonly correct: boolean;
  /** The completion has the form that the grader asks for. */
  readonly format: boolean;
  /** The place that the answer was found in, for graders that look at several. */
  readonly matchedBy?: MatchedBy;
  /** The reason that the row can't be graded. */
  readonly error?: string;
}

export interface Grader {
  /** The name of what the grader looks for. */
  readonly form: string;
  /** The part of a row's answer that counts. */
  gold(answer: string): string;
  /** Grades a text in time linear in its length. It never throws. */
  grade(text: string, answer: string): Verdict;
  /** A completion that is right. */
  worked(answer: string): string;
  /** The reason why no completion could be right for a row with this answer, or null. */
  answerError(answer: string): string | null;
}

/** The user's choice of how two texts are compared. */
interface TextOptions {
  readonly ignoreCase: boolean;
  /** Whitespace at the ends does not count, and a run of it inside counts as one space. */
  readonly ignoreSpace: boolean;
}

function normalize(text: string, { ignoreCase, ignoreSpace }: TextOptions): string {
  const spaced = ignoreSpace ? stripSpace(text).replaceAll(/\s+/g, ' ') : text;
  // Composed, since keyboards and files differ in how they write an accent.
  return (ignoreCase ? spaced.toLowerCase() : spaced).normalize('NFC');
}

function sameText(given: string, truth: string, options: TextOptions): boolean {
  return normalize(given, options) === normalize(truth, options);
}

const itself = (answer: string): string => answer;

/** The whole completion is the answer. Any completion that says something has the form. */
export function exactGrader(settings: SettingsOf<'exact'>): Grader {
  return {
    form: 'text',
    gold: itself,
    grade(text, answer) {
      const said = stripSpace(text) !== '';
      return { extracted: said ? text : null, correct: sameText(text, answer, settings), format: said };
    },
    worked: (answer) => answer,
    answerError: () => null,
  };
}

/** A decimal number with commas at the thousands and a currency sign before it. */
const DECIMAL = /^([-+−–]?)[$€£¥]?([-+−–]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]*))?$/;

/** The same text for the same decimal number, of any length; null for any other text. */
function canonicalDecimal(text: string): string | null {
  const [, sign = '', inner = '', whole = '', decimals = ''] = DECIMAL.exec(stripSpace(text)) ?? [];
  if (whole === '' || (sign !== '' && inner !== '')) return null;
  let end = decimals.length;
  while (end > 0 && decimals.charAt(end - 1) === '0') end--;
  const above = whole.replaceAll(',', '').replace(/^0+(?=.)/, '');
  const digits = end === 0 ? above : `${above}.${decimals.slice(0, end)}`;
  const below = sign + inner !== '' && sign + inner !== '+' && digits !== '0';
  return below ? `-${digits}` : digits;
}

/**
 * The text between the last `<answer>` and `</answer>`, or another spelling of the same decimal number: `5.0` for `5`, `$1,234` for `1234`.
 * The form is one such pair with nothing behind it.
 */
export function answerTagGrader(settings: SettingsOf<'answer_tag'>): Grader {
  return {
    form: '<answer> tag',
    gold: itself,
    grade(text, answer) {
      const extracted = extractAnswer(text, 'answer', settings.ignoreSpace);
      const number = extracted === null ? null : canonicalDecimal(extracted);
      const correct =
        extracted !== null &&
        (sameText(extracted, answer, settings) || (number !== null && number === canonicalDecimal(answer)));
      return { extracted, correct, format: formFault(text) === null };
    },
    worked: (answer) => `<answer>${answer}</answer>`,
    answerError: (answer) =>
      /<\/?answer>/.test(answer)
        ? 'its answer holds an <answer> tag, which no answer between tags can'
        : null,
  };
}

/** Line breaks and more words than this make a gold a worked solution, which nobody repeats in a box. */
const MOST_WORDS = 25;

/** The last `\boxed{…}`, compared exactly; there being one is the form. */
export function boxedGrader(): Grader {
  return {
    form: '\\boxed{…}',
    gold: boxedGold,
    grade(text, answer) {
      const extracted = boxedAnswer(text);
      return { extracted, correct: sameAnswer(extracted, answer), format: extracted !== null };
    },
    worked: (answer) => `\\boxed{${boxedGold(answer)}}`,
    answerError(answer) {
      const gold = boxedGold(answer);
      if (gold === '') return 'its answer is empty';
      if (gold.length > MOST_ANSWER) return `its answer has more than ${MOST_ANSWER} characters`;
      if (boxedAnswer(`\\boxed{${gold}}`) !== gold) return 'its answer has braces that do not close';
      return gold.includes('\n\n') || gold.split(/\s+/).length > MOST_WORDS
        ? 'its answer is a whole solution: the final answer has to stand in a \\boxed{…}, behind #### or alone'
        : null;
    },
  };
}

/** Compiled patterns of rows kept at a time. */
const MOST_KEPT = 1000;

type Compiled = { readonly pattern: RE2JS } | { readonly error: string };

function compile(source: string, ignoreCase: boolean): Compiled {
  try {
    return { pattern: RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) };
  } catch (error) {
    const why = messageOf(error);
    return {
      error: `The regular expression ${JSON.stringify(source.slice(0, 60))} can't be used (${why}). It needs RE2's syntax, which has no look-around and no back references.`,
    };
  }
}

/** The error in a pattern, or null. */
export function patternError(source: string): string | null {
  const compiled = compile(source, false);
  return 'error' in compiled ? compiled.error : null;
}

/** The first match of the pattern, narrowed to its first group if it has one, or null. */
function firstMatch(pattern: RE2JS, text: string): string | null {
  const matcher = pattern.matcher(text);
  if (!matcher.find()) return null;
  return matcher.group(pattern.groupCount() > 0 ? 1 : 0);
}

/** RE2's engine, whose time is linear in the text whatever the pattern; a match is the form. */
export function regexGrader(settings: SettingsOf<'regex'>): Grader {
  const fixed = settings.pattern === '' ? null : compile(settings.pattern, settings.ignoreCase);
  const kept = new Map<string, Compiled>();

  function compiledFor(answer: string): Compiled {
    if (fixed !== null) return fixed;
    const known = kept.get(answer);
    if (known !== undefined) return known;
    if (kept.size >= MOST_KEPT) kept.clear();
    const compiled = compile(answer, settings.ignoreCase);
    kept.set(answer, compiled);
    return compiled;
  }

  return {
    form: 'match of the pattern',
    gold: itself,
    grade(text, answer) {
      const compiled = compiledFor(answer);
      if ('error' in compiled)
        return { extracted: null, correct: false, format: false, error: compiled.error };
      const extracted = firstMatch(compiled.pattern, text);
      const correct = extracted !== null && (fixed === null || sameText(extracted, answer, settings));
      return { extracted, correct, format: extracted !== null };
    },
    worked: (answer) => settings.form.replaceAll('{answer}', () => answer),
    answerError(answer) {
      const compiled = compiledFor(answer);
      return 'error' in compiled && fixed === null ? compiled.error : null;
    },
  };
}
