/** IFEval's rules, as its paper and its published checks state them: rows with verdicts worked out by hand. */
import { describe, expect, it } from 'vitest';
import { drawsFor, pick } from '@rl-playground/base/random';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { isLinear } from '@rl-playground/base/testing/processorTime';
import { KIND_NAMES, kindOf, type KindName, type NamedConstraint } from './kinds.ts';
import { faultOf, verdictOf } from './verdict.ts';
import type { Constraint } from './constraint.ts';

const of = (kind: KindName, changes: Partial<Constraint> = {}): NamedConstraint => ({
  kind,
  relation: 'exactly',
  count: 0,
  words: [],
  ...changes,
});
const least = (count: number, ...words: string[]) => ({ relation: 'at least' as const, count, words });
const most = (count: number, ...words: string[]) => ({ relation: 'at most' as const, count, words });
const exactly = (count: number, ...words: string[]) => ({ relation: 'exactly' as const, count, words });
const words = (...of: string[]) => ({ words: of });

type Verdict = 'both' | 'loose' | 'neither';
type Row = readonly [kind: KindName, asked: Partial<Constraint>, text: string, verdict: Verdict];

const YES_NO = words('My answer is yes.', 'My answer is no.');

const ROWS: readonly Row[] = [
  ['number_words', most(3), 'One two three.', 'both'],
  ['number_words', most(3), 'One two three four.', 'neither'],
  ['number_words', most(3), 'Sure, here it is:\nOne two three.', 'loose'],
  ['number_words', most(2), 'well-known_thing', 'both'],
  ['number_words', least(4), "It's 3 words", 'both'],
  ['number_words', least(5), "It's 3 words", 'neither'],
  ['number_words', most(3), ' \n', 'neither'],
  ['number_sentences', most(1), 'Mr. Smith paid 3.50 for it.', 'both'],
  ['number_sentences', most(1), 'It is so. It is.', 'neither'],
  ['number_sentences', most(1), 'Here you are!\nIt is so.', 'loose'],
  ['number_sentences', least(3), 'Really? Yes! Good.', 'both'],
  ['number_sentences', least(2), 'First line\nSecond line', 'neither'],
  ['number_sentences', least(2), 'He said "no." She left.', 'both'],
  ['number_sentences', most(1), 'Wait... what', 'both'],
  ['one_sentence', exactly(1), 'Mr. Smith paid 3.50 for it.', 'both'],
  ['one_sentence', exactly(1), 'It is so. It is.', 'neither'],
  ['one_sentence', exactly(1), 'Here you are!\nIt is so.', 'loose'],
  ['one_sentence', exactly(1), '', 'neither'],
  ['number_paragraphs', exactly(2), 'One.\n***\nTwo.', 'both'],
  ['number_paragraphs', exactly(2), '***\nOne.\n***\nTwo.\n***', 'both'],
  ['number_paragraphs', exactly(2), 'One.\n***\n***\nTwo.', 'neither'],
  ['number_paragraphs', exactly(2), 'Sure.\n***\nOne.\n***\nTwo.', 'loose'],
  ['number_paragraphs', exactly(1), 'One.\n***', 'both'],
  ['number_paragraphs', exactly(1), 'One.\n***\nTwo.', 'loose'],
  ['paragraph_first_word', exactly(2, '2', 'however'), 'One.\n\nHowever, two.', 'both'],
  ['paragraph_first_word', exactly(2, '2', 'however'), 'One.\nHowever, two.', 'neither'],
  ['paragraph_first_word', exactly(2, '1', 'today'), '"Today\' it is.\n\nTwo.', 'both'],
  ['paragraph_first_word', exactly(2, '1', 'today'), 'Yes.\n\nToday.\n\nTwo.', 'loose'],
  ['paragraph_first_word', exactly(2, '2', 'two'), 'One.\n\n\n\ntwo.', 'neither'],
  ['number_placeholders', least(2), '[name] and [a day]', 'both'],
  ['number_placeholders', least(2), '[name and [a day]', 'neither'],
  ['number_placeholders', least(1), '[a\nday]', 'neither'],
  ['postscript', words('P.S.'), 'So it is.\n\np. s. and more', 'both'],
  ['postscript', words('P.S.'), 'So it is. PS: more', 'neither'],
  ['postscript', words('P.P.S.'), 'So it is.\nP.P.S and more', 'both'],
  ['postscript', words('P.P.S.'), 'So it is.\nP.S. more', 'neither'],
  ['number_bullets', exactly(2), 'Two:\n* one\n  - two', 'both'],
  ['number_bullets', exactly(2), '* one\n** two\n*', 'neither'],
  ['number_bullets', exactly(2), '- Sure\n* one\n* two', 'loose'],
  ['number_bullets', exactly(1), '*\n* one', 'both'],
  ['number_bullets', exactly(1), '1. one', 'neither'],
  ['constrained_response', YES_NO, 'I think: My answer is no. So it is.', 'both'],
  ['constrained_response', YES_NO, 'my answer is yes.', 'neither'],
  ['constrained_response', YES_NO, 'My answer is **yes**.', 'loose'],
  ['number_highlights', least(2), '*one* and *two*', 'both'],
  ['number_highlights', least(2), '**one**', 'neither'],
  ['number_highlights', least(1), '**one**', 'both'],
  ['number_highlights', least(1), '* one\n* two', 'neither'],
  ['number_highlights', least(1), '* * and **', 'neither'],
  ['number_sections', least(2), 'Section 1\nIt.\nSection 2\nIs.', 'both'],
  ['number_sections', least(2), 'SECTION 1\nIt.\nSECTION 2\nIs.', 'neither'],
  ['number_sections', least(2), 'Section1, Section ٢', 'both'],
  ['number_sections', least(2), '**Section** 1 and *Section* 2', 'loose'],
  ['json', {}, '```json\n{"a": [1, NaN]}\n```', 'both'],
  ['json', {}, '"a text"', 'both'],
  ['json', {}, "{'a': 1}", 'neither'],
  ['json', {}, 'Here it is:\n{"a": 1}', 'loose'],
  ['json', {}, '{"a": 1}\nThat is it.', 'loose'],
  ['json', {}, '{"a": 1', 'neither'],
  ['title', {}, 'On it: <<A day>>\nText', 'both'],
  ['title', {}, '<<>> <A day>', 'neither'],
  ['title', {}, '<< >>', 'neither'],
  ['title', {}, '<<a\nday>>', 'neither'],
  ['keywords', words('river', 'music'), 'Rivers and MUSICAL things', 'both'],
  ['keywords', words('river', 'music'), 'Rivers alone', 'neither'],
  ['keywords', words('river'), 'a ri*v*er', 'loose'],
  ['keyword_frequency', least(2, 'art'), 'Art starts', 'both'],
  ['keyword_frequency', least(3, 'art'), 'Art starts', 'neither'],
  ['keyword_frequency', least(1, 'river'), 'Rİver', 'both'],
  ['forbidden_words', words('can', 'will'), 'It canned willows', 'both'],
  ['forbidden_words', words('can', 'will'), 'It CAN.', 'neither'],
  ['forbidden_words', words('can'), 'I can!\nSo be it.', 'loose'],
  ['forbidden_words', words('can'), 'a_can', 'both'],
  ['letter_frequency', most(2, 'e'), 'Eleven', 'neither'],
  ['letter_frequency', most(3, 'e'), 'Eleven', 'both'],
  ['letter_frequency', least(3, 'e'), 'Eleven', 'both'],
  ['letter_frequency', least(4, 'e'), 'Eleven', 'neither'],
  ['response_language', words('Russian'), 'Это очень интересно, OK', 'both'],
  ['response_language', words('Russian'), 'It is это', 'neither'],
  ['response_language', words('Japanese'), 'これは面白いです。', 'both'],
  ['response_language', words('Greek'), '123', 'neither'],
  ['response_language', words('Thai'), 'Here it is, in Thai:\nสิ่งนี้น่าสนใจมาก', 'loose'],
  ['two_responses', exactly(2), 'One.\n******\nTwo.', 'both'],
  ['two_responses', exactly(2), '******One.******Two.******', 'both'],
  ['two_responses', exactly(2), 'One.******One.', 'neither'],
  ['two_responses', exactly(2), 'One.************Two.', 'neither'],
  ['two_responses', exactly(2), 'One.\n***\nTwo.', 'neither'],
  ['repeat_request', words('What is ice?'), ' what is ICE? Water.', 'both'],
  ['repeat_request', words('What is ice?'), 'Sure!\nWhat is ice? Water.', 'loose'],
  ['repeat_request', words('What is ice?'), '"What is ice?" Water.', 'neither'],
  ['end_phrase', words('I hope this helps you.'), 'So it is. i hope this helps you."', 'both'],
  ['end_phrase', words('I hope this helps you.'), 'I hope this helps you. Bye', 'neither'],
  ['end_phrase', words('I hope this helps you.'), 'I hope this helps you.\nBye', 'loose'],
  ['capital_words', least(2), 'I SEE it', 'both'],
  ['capital_words', least(3), 'I SEE it', 'neither'],
  ['capital_words', least(1), "I'm here", 'both'],
  ['capital_words', least(2), 'WELL-KNOWN, A4!', 'both'],
  ['upper_case', {}, 'IT IS SO, 1.', 'both'],
  ['upper_case', {}, 'IT IS So', 'neither'],
  ['upper_case', {}, 'Sure:\nIT IS SO', 'loose'],
  ['upper_case', {}, '123', 'neither'],
  ['lower_case', {}, 'it is so, 1.', 'both'],
  ['lower_case', {}, 'It is so', 'neither'],
  ['lower_case', {}, 'это так', 'neither'],
  ['no_comma', {}, 'It is so.', 'both'],
  ['no_comma', {}, 'Yes, it is.', 'neither'],
  ['no_comma', {}, 'Yes,\nit is.', 'loose'],
  ['quotation', {}, ' "It is so." ', 'both'],
  ['quotation', {}, '"', 'neither'],
  ['quotation', {}, '“It is so.”', 'neither'],
  ['quotation', {}, '*"It is so."*', 'loose'],
  ['first_word', words('Today'), '"today, it is', 'both'],
  ['first_word', words('Today'), 'It is today', 'neither'],
  ['first_word', words('Today'), 'Sure!\nToday it is', 'loose'],
  ['question_end', {}, 'It is so. Is it?"', 'both'],
  ['question_end', {}, 'Is it? It is.', 'neither'],
  ['question_end', {}, 'It is so. Is it?\n\nI hope it helps.', 'loose'],
];

describe('rows', () => {
  it('hold every kind, right and wrong', () => {
    for (const kind of KIND_NAMES) {
      const verdicts = ROWS.filter(([name]) => name === kind).map(([, , , verdict]) => verdict);
      expect([kind, verdicts.includes('both'), verdicts.includes('neither')]).toEqual([kind, true, true]);
    }
    for (const verdict of ['both', 'loose', 'neither'])
      expect(ROWS.filter(([, , , each]) => each === verdict).length).toBeGreaterThan(15);
  });

  it.each(ROWS)('%s %j: %j is right by %s', (kind, asked, text, verdict) => {
    const { faults, loose } = verdictOf(text, [of(kind, asked)]);
    expect({ strict: faults.length === 0, loose }).toEqual({
      strict: verdict === 'both',
      loose: verdict !== 'neither',
    });
  });
});

describe('verdicts', () => {
  it('say what was found and what is wanted', () => {
    const faults = (kind: KindName, asked: Partial<Constraint>, text: string) =>
      faultOf(text, of(kind, asked));
    expect(faults('number_words', most(2), 'One two three.')).toBe('found 3 words, at most 2 wanted');
    expect(faults('number_bullets', exactly(3), '* one')).toBe('found 1 bullet point, exactly 3 wanted');
    expect(faults('keywords', words('river', 'music'), 'A river')).toBe('did not find music');
    expect(faults('no_comma', {}, 'a, b, c')).toBe('found 2 commas, at most 0 wanted');
    expect(faults('title', {}, '')).toBe('found an empty answer');
  });

  it('take each constraint by itself: the loose forms that meet them may differ', () => {
    const both = [of('number_words', most(3)), of('question_end')];
    expect(verdictOf('Is it so?\nIt is.', both)).toEqual({
      faults: ['found 5 words, at most 3 wanted', 'found no question mark at the end'],
      loose: true,
    });
  });
});

/** Arguments that a kind may be asked with. */
function drawn(kind: KindName, i: number): NamedConstraint {
  return of(kind, kindOf(kind).draw(drawsFor(5, i), 'What is ice?'));
}

describe('hostile answers', () => {
  const PIECES = [
    ...'* ** *** ****** - _ # [ ] [x] << >> <<x>> { } {"a":1} ``` ```json " \' “ , . ... ? ! : P.S. p. s. P.P.S Section 1'.split(
      ' ',
    ),
    ...'What is ice? My answer is yes. Today river MUSIC it IS İ ı ſ ß это これ ٣ 🙂 \ud800 \u2028 \u0085 \u001c'.split(
      ' ',
    ),
    ' ',
    ' ',
    ' ',
    '\n',
    '\n',
    '\n\n',
    '\r\n',
    '\t',
    '\0',
    'word ',
    'Word. ',
  ];

  it('are judged without a throw, and never right by the strict and wrong by the loose rules', () => {
    const draw = drawsFor(23);
    const count = everyProof ? 100_000 : 10_000;
    const seen = { strict: 0, loose: 0 };
    for (let i = 0; i < count; i++) {
      const constraint = drawn(KIND_NAMES[i % KIND_NAMES.length] ?? 'json', i);
      const length = Math.floor(draw() * 30);
      const text = Array.from({ length }, () => pick(draw, PIECES)).join('');
      const { faults, loose } = verdictOf(text, [constraint]);
      if (faults.length === 0) seen.strict++;
      if (loose) seen.loose++;
      if (faults.length === 0 && !loose)
        throw new Error(`${constraint.kind} is strict alone: ${JSON.stringify(text)}`);
    }
    expect(seen.strict).toBeGreaterThan(count / 10);
    expect(seen.loose).toBeGreaterThan(seen.strict);
  });

  it.each(KIND_NAMES)('%s takes time linear in the length', (kind) => {
    const constraint = drawn(kind, 3);
    for (const piece of [
      '*',
      '* ',
      '**a',
      '\n',
      '-\n',
      '[',
      '<<',
      '"',
      '.',
      'a. ',
      'Section ',
      '{"a":',
      '```',
      ' ',
      '?',
      "'",
    ])
      expect([
        piece,
        isLinear(
          (size) => piece.repeat(size / piece.length),
          (text) => verdictOf(text, [constraint]),
          20_000,
        ),
      ]).toEqual([piece, true]);
  });
});
