/** The grader that looks for the letter of a choice. */
import { extractAnswer } from '../../gym/shared/answerTag.ts';
import { boxedAnswer, boxedGold } from '../../math/boxedAnswer.ts';
import { undressed } from '../../math/reading.ts';
import type { MatchedBy } from '../../define/types.ts';
import type { SettingsOf } from '../../define/definition.ts';
import { Letters, type Said, withoutList } from './letters.ts';
import type { Grader } from './textGraders.ts';

/** One letter alone, with brackets or a dot. */
const ONE_LETTER = /^[([{]{0,2}([A-Za-z])[)\]}]{0,2}[.:]?$/;

/** The one letter that a text is, or null. */
function oneLetter(text: string, letters: string): string | null {
  const letter = ONE_LETTER.exec(undressed(text))?.[1]?.toUpperCase();
  return letter !== undefined && letters.includes(letter) ? letter : null;
}

/** The text without what stands for emphasis and formulas, in ASCII. */
const plainText = (text: string): string =>
  text
    .replaceAll(/\\(?:text|textbf|mathbf|mathrm)\{([^{}]*)\}/g, '$1')
    .replaceAll(/[*_`$]/g, '')
    .replaceAll('’', "'")
    .replaceAll(/[Ａ-Ｚａ-ｚ（）：]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));

/** The letter that an answer of its own is: between tags or in a box. */
function letterIn(answer: string, letters: string): Said {
  const letter = oneLetter(answer, letters);
  if (letter !== null) return { letter, end: 0 };
  const read = new Letters(plainText(answer), letters);
  return read.leading() ?? read.cued() ?? read.last();
}

/** Signs of a formula, whose letters are no choices. */
const FORMULA = /[\\^=<>+]/;

/** The places of a completion in which a letter is looked for, the first that has one first. */
function* saidIn(text: string, letters: string): Generator<readonly [MatchedBy, Said]> {
  const tagged = extractAnswer(text);
  if (tagged !== null) yield ['tag', letterIn(tagged, letters) ?? 'several'];
  const boxed = text.includes('\\boxed') ? boxedAnswer(text) : null;
  if (boxed !== null) {
    const isFormula = oneLetter(boxed, letters) === null && FORMULA.test(plainText(boxed));
    yield ['phrase', isFormula ? null : letterIn(boxed, letters)];
  }
  const plain = plainText(text);
  yield ['phrase', new Letters(plain, letters).cued()];
  const rest = new Letters(withoutList(plain), letters);
  const letter = oneLetter(text, letters);
  yield ['last', (letter === null ? null : { letter, end: 0 }) ?? rest.leading() ?? rest.last()];
}

/**
 * Reads the letter between `<answer>` tags, in the last box, or behind words such as “the answer is”; these have the form. Otherwise it reads
 * the letter that the completion begins with, or the only one in the last sentence that has one. Where several are said, there is no choice.
 */
export function multipleChoiceGrader({ choices }: SettingsOf<'multiple_choice'>): Grader {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, choices);
  return {
    form: 'letter of a choice',
    gold: boxedGold,
    grade(text, answer) {
      const truth = oneLetter(boxedGold(answer), letters);
      for (const [matchedBy, said] of saidIn(text, letters)) {
        if (said === 'several') break;
        if (said === null) continue;
        const { letter } = said;
        return { extracted: letter, correct: letter === truth, format: matchedBy !== 'last', matchedBy };
      }
      return { extracted: null, correct: false, format: false, matchedBy: 'none' };
    },
    worked: (answer) => `<answer>${oneLetter(boxedGold(answer), letters) ?? answer}</answer>`,
    answerError: (answer) =>
      oneLetter(boxedGold(answer), letters) === null
        ? `its answer is not one of the ${choices} letters A to ${letters.at(-1)} alone, such as B, (B) or B.`
        : null,
  };
}
