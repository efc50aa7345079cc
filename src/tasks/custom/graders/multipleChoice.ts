import { extractAnswer } from '../../gym/shared/answerTag.ts';
import type { SettingsOf } from '../definition.ts';
import type { Grader } from './types.ts';

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
 * The letter between `<answer>` tags; else the last one behind words such as "the answer is"; else the last capital that stands
 * alone. The first two are the form.
 */
export function multipleChoiceGrader({ choices }: SettingsOf<'multiple_choice'>): Grader {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, choices);
  return {
    grade(text, answer) {
      const truth = leadingLetter(answer, letters);
      const tagged = extractAnswer(text);
      const places = {
        tag: tagged === null ? null : leadingLetter(tagged, letters),
        phrase: lastLetter(text, PHRASE, letters),
        last: lastLetter(text, ALONE, letters),
      };
      const matchedBy =
        places.tag !== null
          ? 'tag'
          : places.phrase !== null
            ? 'phrase'
            : places.last !== null
              ? 'last'
              : 'none';
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
