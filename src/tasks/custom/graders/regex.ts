import { RE2JS } from 're2js';
import { messageOf } from '../../../base/errors.ts';
import type { SettingsOf } from '../definition.ts';
import { sameText } from './text.ts';
import type { Grader } from './types.ts';

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

/** What is wrong with a pattern, or null. */
export function patternError(source: string): string | null {
  const compiled = compile(source, false);
  return 'error' in compiled ? compiled.error : null;
}

/** First match of the pattern, narrowed to its first group where it has one; null without a match. */
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
