/** Graders that compare a text with the answer, and what a grader is. */
import { RE2JS } from 're2js';
import { messageOf } from '@rl-playground/base/errors';
import { extractAnswer, formFault } from '../../gym/shared/answerTag.ts';
import { extractBoxed, gradeAnswer } from '../../math/cookbookReward.ts';
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

/** The whole completion is the answer. Any completion that says something has the form. */
export function exactGrader(settings: SettingsOf<'exact'>): Grader {
  return {
    form: 'text',
    grade(text, answer) {
      const said = stripSpace(text) !== '';
      return { extracted: said ? text : null, correct: sameText(text, answer, settings), format: said };
    },
    worked: (answer) => answer,
    answerError: () => null,
  };
}

/** The text between the last `<answer>` and `</answer>`; the form is one such pair with nothing behind it. */
export function answerTagGrader(settings: SettingsOf<'answer_tag'>): Grader {
  return {
    form: '<answer> tag',
    grade(text, answer) {
      const extracted = extractAnswer(text, 'answer', settings.ignoreSpace);
      const correct = extracted !== null && sameText(extracted, answer, settings);
      return { extracted, correct, format: formFault(text) === null };
    },
    worked: (answer) => `<answer>${answer}</answer>`,
    answerError: (answer) =>
      /<\/?answer>/.test(answer)
        ? 'its answer holds an <answer> tag, which no answer between tags can'
        : null,
  };
}

/** The last `\boxed{…}`, compared as the Tinker cookbook compares; there being one is the form. */
export function boxedGrader(): Grader {
  return {
    form: '\\boxed{…}',
    grade(text, answer) {
      const extracted = extractBoxed(text);
      const correct = extracted !== null && gradeAnswer(extracted, answer) !== null;
      return { extracted, correct, format: extracted !== null };
    },
    worked: (answer) => `\\boxed{${answer}}`,
    answerError: (answer) =>
      extractBoxed(`\\boxed{${answer}}`) === answer ? null : 'its answer has braces that do not close',
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
