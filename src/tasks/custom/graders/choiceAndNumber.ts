/** Graders that look for a letter or a number wherever a completion may give it. */
import { extractAnswer } from '../../gym/shared/answerTag.ts';
import { canonicalDecimal } from '../../gym/shared/scoring.ts';
import { stripSpace } from '../../python/text.ts';
import type { SettingsOf } from '../../define/definition.ts';
import type { Grader } from './textGraders.ts';

const ALONE = /(?<![\p{L}\p{N}])([A-Z])(?![\p{L}\p{N}'’])/gu;
/** `answer is (B)`, `Answer: b`, `choose option C`. */
const PHRASE =
  /\b(?:answer|choice|option|choose)\b(?: is)?[ \t]?:?[ \t*]{0,4}(?:option |choice )?[ \t*]{0,4}\(?([A-Z])(?![\p{L}\p{N}'’])/giu;

/** The last letter that a match ends on and that is among `letters`, as a capital. */
function lastLetter(text: string, pattern: RegExp, letters: string): string | null {
  let last: string | null = null;
  for (const [, found = ''] of text.matchAll(pattern)) {
    const letter = found.toUpperCase();
    if (letters.includes(letter)) last = letter;
  }
  return last;
}

/** `b`, `(B)`, `B)`, `B. because …` */
function leadingLetter(text: string, letters: string): string | null {
  const letter = /^\s{0,9}\(?([A-Z])(?![\p{L}\p{N}'’])/iu.exec(text)?.[1]?.toUpperCase();
  return letter !== undefined && letters.includes(letter) ? letter : null;
}

/**
 * Reads the letter between `<answer>` tags, or the last one behind words such as "the answer is"; both have the form. Otherwise it reads
 * the last capital that is a word by itself.
 */
export function multipleChoiceGrader({ choices }: SettingsOf<'multiple_choice'>): Grader {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, choices);
  return {
    form: 'letter of a choice',
    grade(text, answer) {
      const truth = leadingLetter(answer, letters);
      const tagged = extractAnswer(text);
      const places = {
        tag: tagged === null ? null : leadingLetter(tagged, letters),
        phrase: lastLetter(text, PHRASE, letters),
        last: lastLetter(text, ALONE, letters),
      };
      const matchedBy =
        (['tag', 'phrase', 'last'] as const).find((place) => places[place] !== null) ?? 'none';
      const extracted = matchedBy === 'none' ? null : places[matchedBy];
      const format = matchedBy === 'tag' || matchedBy === 'phrase';
      return { extracted, correct: extracted !== null && extracted === truth, format, matchedBy };
    },
    worked: (answer) => `<answer>${leadingLetter(answer, letters) ?? answer}</answer>`,
    answerError: (answer) =>
      leadingLetter(answer, letters) === null
        ? `its answer is none of the ${choices} letters A to ${letters.at(-1)}`
        : null,
  };
}

/** Digits with or without commas at the thousands. A sign behind a letter, a digit or a bracket is a minus between two things. */
const NUMBERS =
  /(?:(?<![\p{L}\p{N})\]])[-+−])?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:e[-+]?\d{1,4}(?!\d))?\s?%?/giu;

/** The last number of a text as it is written, without commas and the percent sign, or null. */
function lastNumber(text: string) {
  let last: string | null = null;
  for (const [match] of text.matchAll(NUMBERS)) last = match;
  if (last === null) return null;
  const percent = last.endsWith('%');
  const bare = stripSpace(percent ? last.slice(0, -1) : last);
  return { text: bare.replaceAll(',', '').replace('−', '-'), percent };
}
type Reading = NonNullable<ReturnType<typeof lastNumber>>;

/** The same text for the same number, of any length: no rounding. */
function canonical({ text, percent }: Reading, percentCounts: boolean): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const power = Number(exponent) - (percent && percentCounts ? 2 : 0);
  return canonicalDecimal(`${mantissa}e${power}`) ?? text;
}

/**
 * Reads the number between `<answer>` tags, or else the last number of the completion, which is the form. It is right if it is the same
 * number digit for digit, or if |given - truth| ≤ max(absolute, relative · |truth|) in float64.
 */
export function numberGrader(settings: SettingsOf<'number'>): Grader {
  const valueOf = (number: Reading) => Number(canonical(number, settings.percent));
  return {
    form: 'number',
    grade(text, answer) {
      const tagged = extractAnswer(text);
      const found = lastNumber(tagged ?? text);
      const truth = lastNumber(answer);
      const matchedBy = found === null ? 'none' : tagged === null ? 'last' : 'tag';
      if (found === null || truth === null)
        return { extracted: found?.text ?? null, correct: false, format: found !== null, matchedBy };
      const same = canonical(found, settings.percent) === canonical(truth, settings.percent);
      const allowed = Math.max(settings.absolute, settings.relative * Math.abs(valueOf(truth)));
      const near = allowed > 0 && Math.abs(valueOf(found) - valueOf(truth)) <= allowed;
      const extracted = `${found.text}${found.percent ? '%' : ''}`;
      return { extracted, correct: same || near, format: true, matchedBy };
    },
    worked: (answer) => `<answer>${answer}</answer>`,
    answerError: (answer) => (lastNumber(answer) === null ? 'its answer holds no number' : null),
  };
}
