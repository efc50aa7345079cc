/** The grader that compares numbers by value, exactly. */
import { extractAnswer } from '../../gym/shared/answerTag.ts';
import { boxedAnswer, boxedGold } from '../../math/boxedAnswer.ts';
import { areNear, type Fraction, fractionOfDouble, negative, product } from '../../math/fraction.ts';
import { type Numeral, sameNumeral, valueOf } from '../../math/numerals.ts';
import { type Reading, readWhole, sameReading, undressed } from '../../math/reading.ts';
import { stripSpace } from '../../python/text.ts';
import type { MatchedBy } from '../../define/types.ts';
import type { SettingsOf } from '../../define/definition.ts';
import { type Found, lastNumber } from './lastNumber.ts';
import type { Grader } from './textGraders.ts';

/** A number in brackets, which bookkeepers write for one below zero. */
const BRACKETED = /^\([^()]*\)$/;

interface Place {
  readonly text: string;
  readonly matchedBy: MatchedBy;
}

/** The place of a completion that holds its answer: the tag, the last box, the line behind `####`, or all of it. */
function placeOf(text: string): Place {
  const tagged = extractAnswer(text);
  if (tagged !== null) return { text: tagged, matchedBy: 'tag' };
  const boxed = text.includes('\\boxed') ? boxedAnswer(text) : null;
  if (boxed !== null) return { text: boxed, matchedBy: 'phrase' };
  const at = text.lastIndexOf('####');
  const [tail = ''] =
    at < 0
      ? []
      : text
          .slice(at + 4)
          .trimStart()
          .split('\n');
  if (tail !== '' && readWhole(tail) !== null) return { text: tail, matchedBy: 'phrase' };
  return { text, matchedBy: 'last' };
}

function foundIn({ text, matchedBy }: Place, commas: boolean): Found | null {
  const bare = stripSpace(text);
  const reading = readWhole(bare);
  return reading === null ? lastNumber(text, commas || matchedBy !== 'last') : { text: bare, reading };
}

/** The reading of a gold, or the reason why it has none. */
function goldReading(answer: string): Reading | string {
  const gold = boxedGold(answer);
  const reading = readWhole(gold);
  if (reading === null)
    return 'its answer can’t be read whole as a number (1,234.5, 3/4, 2 1/2, 3 × 10^8, 50%), a list of numbers or a time; a unit, a currency sign, \\boxed{…} or a solution before #### may stand around it';
  if (reading.kind === 'list' && reading.decimal)
    return 'its comma may be a decimal point or part two numbers: write 1.5, or (1, 5)';
  if (reading.kind === 'number' && BRACKETED.test(undressed(gold)))
    return 'a number in brackets may be below zero: write it without them';
  return reading;
}

/**
 * Reads the number between `<answer>` tags, in the last box or behind `####`, or else the last number of the completion, which is the form.
 * It is right if it has the same value, however it is written, or if |given − truth| ≤ max(absolute, relative · |truth|), all worked out
 * exactly. A list is right by all its members, a time by its text.
 */
export function numberGrader(settings: SettingsOf<'number'>): Grader {
  const rule = settings.percent ? 'counts' : 'ignored';
  const [absolute, relative] = [settings.absolute, settings.relative].map(fractionOfDouble);

  function near(truth: Fraction, given: Fraction): boolean {
    const share = relative && product(relative, truth.above < 0n ? negative(truth) : truth);
    return [absolute, share].some(
      (distance) => distance != null && distance.above > 0n && areNear(truth, given, distance),
    );
  }

  /** The last gold with its reading, since a group of answers has one gold. */
  let last: { readonly answer: string; readonly reading: Reading | string } | null = null;
  function readingOf(answer: string): Reading | string {
    if (last?.answer !== answer) last = { answer, reading: goldReading(answer) };
    return last.reading;
  }

  const same = (truth: Numeral, given: Numeral): boolean =>
    sameNumeral(truth, given, rule) || (!given.undone && near(valueOf(truth, rule), valueOf(given, rule)));

  return {
    form: 'number',
    gold: boxedGold,
    grade(text, answer) {
      const truth = readingOf(answer);
      const place = placeOf(text);
      const found = foundIn(place, typeof truth !== 'string' && truth.kind === 'list');
      if (found === null) return { extracted: null, correct: false, format: false, matchedBy: 'none' };
      const { text: extracted, reading } = found;
      const format = reading !== null;
      if (typeof truth === 'string' || reading === null)
        return { extracted, correct: false, format, matchedBy: place.matchedBy };
      const compared = { same, brackets: false };
      const below =
        reading.kind === 'number' && BRACKETED.test(undressed(extracted))
          ? { ...reading, numeral: { ...reading.numeral, value: negative(reading.numeral.value) } }
          : reading;
      const correct = sameReading(truth, reading, compared) || sameReading(truth, below, compared);
      return { extracted, correct, format, matchedBy: place.matchedBy };
    },
    worked: (answer) => `<answer>${boxedGold(answer)}</answer>`,
    answerError(answer) {
      const reading = readingOf(answer);
      return typeof reading === 'string' ? reading : null;
    },
  };
}
