import { describe, expect, it } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { isLinear } from '@rl-playground/base/testing/processorTime';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { GRADER_DEFAULTS, type GraderSettings } from '../../define/definition.ts';
import { graderOf } from './index.ts';
import { patternError } from './textGraders.ts';

type Graded = Exclude<GraderSettings, { kind: 'code' }>;

function correct(settings: Graded, text: string, answer: string): boolean {
  return graderOf(settings).grade(text, answer).correct;
}

describe('exact', () => {
  const strict: Graded = { kind: 'exact', ignoreCase: false, ignoreSpace: false };
  it.each([
    [strict, 'Paris', 'Paris', true],
    [strict, 'Paris ', 'Paris', false],
    [strict, 'paris', 'Paris', false],
    [{ ...strict, ignoreCase: true }, 'PARIS', 'Paris', true],
    [{ ...strict, ignoreSpace: true }, '\n New \t York ', 'New York', true],
    [{ ...strict, ignoreSpace: true }, 'NewYork', 'New York', false],
    [strict, 'cafe\u0301', 'café', true],
    [strict, 'It is Paris', 'Paris', false],
  ] as const)('%j grades %j for %j', (settings, text, answer, expected) => {
    expect(correct(settings, text, answer)).toBe(expected);
  });
});

describe('number', () => {
  const plain = GRADER_DEFAULTS.number;
  it.each([
    ['It is 42.', '42', true],
    ['First 41, then 42', '42', true],
    ['<answer>7</answer> of 9', '7', true],
    ['<answer>none</answer> 7', '7', false],
    ['1,234,567', '1234567', true],
    ['1,23', '123', false],
    ['$1,500.50', '1500.5', true],
    ['-0', '0', true],
    ['−3', '-3', true],
    ['7-3', '3', false],
    ['007', '7', true],
    ['1.50e2', '150', true],
    ['.5', '0.5', true],
    ['50%', '50', true],
    ['9007199254740993', '9007199254740992', false],
    ['0.1', '0.10000000000000001', false],
    ['no number', '5', false],
    ['', '5', false],
  ])('%j for %j is %j', (text, answer, expected) => {
    expect(correct(plain, text, answer)).toBe(expected);
  });

  it('allows the larger of the two tolerances, the border included', () => {
    const absolute: Graded = { ...plain, absolute: 0.5 };
    expect(correct(absolute, '10.5', '10')).toBe(true);
    expect(correct(absolute, '10.51', '10')).toBe(false);
    const relative: Graded = { ...plain, relative: 0.01 };
    expect(correct(relative, '-198', '-200')).toBe(true);
    expect(correct(relative, '-197.9', '-200')).toBe(false);
    expect(correct({ ...plain, absolute: 3, relative: 0.01 }, '-197', '-200')).toBe(true);
  });

  it('reads percent as hundredths only where asked to', () => {
    const percent: Graded = { ...plain, percent: true };
    expect(correct(percent, '50%', '0.5')).toBe(true);
    expect(correct(percent, '0.5', '50 %')).toBe(true);
    expect(correct(percent, '50%', '50')).toBe(false);
    expect(correct(plain, '50%', '0.5')).toBe(false);
  });

  it('never gives a tolerance to what is no number', () => {
    expect(correct({ ...plain, absolute: 1e300 }, '1e9999', '5')).toBe(false);
  });
});

describe('boxed', () => {
  const boxed = GRADER_DEFAULTS.boxed;
  it.each([
    ['so \\boxed{18}', '18', true],
    ['\\boxed{17} no, \\boxed{18}', '18', true],
    ['\\boxed{\\frac{1}{2}}', '\\frac{1}{2}', true],
    ['\\boxed{0.5}', '\\frac{1}{2}', true],
    ['\\boxed{1,000}', '1000', true],
    ['18', '18', false],
    ['\\boxed{18', '18', false],
  ])('%j for %j is %j', (text, answer, expected) => {
    expect(correct(boxed, text, answer)).toBe(expected);
  });
});

describe('multiple choice', () => {
  const choice = GRADER_DEFAULTS.multiple_choice;
  it.each([
    ['<answer>b</answer>', 'B', 'B', 'tag'],
    ['<answer>(C) since</answer>', 'C.', 'C', 'tag'],
    ['The answer is (D).', 'D', 'D', 'phrase'],
    ['Answer: **a**', 'A', 'A', 'phrase'],
    ['A or B? I choose option B', 'B', 'B', 'phrase'],
    ['I think B) fits', 'B', 'B', 'last'],
    ['Absolutely', 'A', null, 'none'],
    ['<answer>Bat</answer>', 'B', null, 'none'],
    ['Answer: E', 'A', null, 'none'],
  ])('%j for %j reads %j by %s', (text, answer, extracted, matchedBy) => {
    expect(graderOf(choice).grade(text, answer)).toMatchObject({
      extracted,
      matchedBy,
      correct: extracted !== null,
    });
  });

  it('gives no credit for the wrong letter', () => {
    expect(correct(choice, 'Answer: A', 'B')).toBe(false);
  });

  it('refuses a row whose answer is no letter of the choice', () => {
    expect(graderOf(choice).answerError('E')).toContain('A to D');
    expect(graderOf({ ...choice, choices: 5 }).answerError('E')).toBeNull();
  });
});

describe('regular expression', () => {
  const regex = GRADER_DEFAULTS.regex;
  it('compares the first group of the first match', () => {
    expect(correct(regex, 'hm\nAnswer: Oslo \nbye', 'Oslo')).toBe(true);
    expect(correct(regex, 'Answer: Bergen\nAnswer: Oslo', 'Oslo')).toBe(false);
    expect(correct({ ...regex, pattern: '\\d+' }, 'a 12 b 13', '12')).toBe(true);
  });

  it('takes rows as patterns where it has none of its own', () => {
    const rows: Graded = { ...regex, pattern: '' };
    expect(correct(rows, 'it was Colour', 'colou?r')).toBe(false);
    expect(correct({ ...rows, ignoreCase: true }, 'it was Colour', 'colou?r')).toBe(true);
    expect(graderOf(rows).answerError('(')).toContain("can't be used");
    expect(graderOf(rows).grade('x', '(').error).toContain("can't be used");
  });

  it.each(['(', '[a', 'a{2000}', '(?=a)', '(a)\\1', '*'])('explains that %j can not be used', (pattern) => {
    expect(patternError(pattern)).toContain("can't be used");
  });

  it.each(['(a+)+$', '(a|a)*$', '(a|aa)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*a){20}$'])(
    'does not blow up on %s',
    (pattern) => {
      const text = `${'a'.repeat(2000)}!`;
      expect(graderOf({ ...regex, pattern }).grade(text, 'x').correct).toBe(false);
    },
  );
});

describe('answer tag', () => {
  const tag = GRADER_DEFAULTS.answer_tag;
  it.each([
    ['<answer> Oslo\n</answer>', 'Oslo', true, true],
    ['<answer>Oslo</answer> indeed', 'Oslo', true, false],
    ['Oslo', 'Oslo', false, false],
    ['<answer>oslo</answer>', 'Oslo', false, true],
    ['<answer>5.0</answer>', '5', true, true],
    ['<answer>1234.50</answer>', '$1,234.5', true, true],
    ['<answer>−5</answer>', '-5.', true, true],
    ['<answer>5.01</answer>', '5', false, true],
    ['<answer>1/2</answer>', '0.5', false, true],
    ['<answer>9007199254740993.0</answer>', '9007199254740992', false, true],
  ])('%j for %j: correct %j, form %j', (text, answer, right, format) => {
    expect(graderOf(tag).grade(text, answer)).toMatchObject({ correct: right, format });
  });
});

const ANSWERS: { readonly [Kind in Graded['kind']]: string } = {
  exact: 'Oslo',
  number: '-1,234.5',
  boxed: '\\frac{1}{2}',
  multiple_choice: 'B',
  regex: 'Oslo',
  answer_tag: 'Oslo',
};
const KINDS = Object.keys(ANSWERS) as Graded['kind'][];

describe.each(KINDS)('%s', (kind) => {
  const grader = graderOf(GRADER_DEFAULTS[kind]);
  const answer = ANSWERS[kind];

  it('gives its own worked answer full marks', () => {
    expect(grader.grade(grader.worked(answer), answer)).toMatchObject({ correct: true, format: true });
  });

  it('withstands random and hostile text', () => {
    const draw = drawsFor(20, KINDS.indexOf(kind));
    const pieces = [
      '<answer>',
      '</answer>',
      '\\boxed{',
      '{',
      '}',
      'Answer: ',
      'B',
      '(',
      ')',
      '1',
      ',',
      '000',
      '.',
      'e',
      '9'.repeat(40),
      '-',
      '−',
      '%',
      ' ',
      '\n',
      '\0',
      '\ud800',
      'é',
      '🙂',
      '\u2028',
      '__proto__',
      '$&',
      '\\',
      'Oslo',
    ];
    const faults: string[] = [];
    for (let i = 0; i < (everyProof ? 100_000 : 15_000); i++) {
      let text = '';
      for (let n = Math.floor(draw() * 30); n > 0; n--)
        text += pieces[Math.floor(draw() * pieces.length)] ?? '';
      const verdict = grader.grade(text, answer);
      if (verdict.error !== undefined || (verdict.correct && verdict.extracted === null)) faults.push(text);
    }
    expect(faults).toEqual([]);
  });

  it.each<[string, (size: number) => string]>([
    ['digits', (size) => '1'.repeat(size)],
    ['zeros and a one', (size) => `1${'0'.repeat(size)}1`],
    ['commas', (size) => '1,'.repeat(size / 2)],
    ['groups', (size) => `1${',000'.repeat(size / 4)}0`],
    ['tags', (size) => '<answer>'.repeat(size / 8)],
    ['boxes', (size) => '\\boxed{'.repeat(size / 7)],
    ['braces', (size) => `\\boxed{${'{'.repeat(size)}`],
    ['spaces', (size) => `Answer${' '.repeat(size)}`],
    ['phrases', (size) => 'answer is '.repeat(size / 10)],
    ['letters', (size) => 'B '.repeat(size / 2)],
    ['lines', (size) => 'Answer:\n'.repeat(size / 8)],
  ])('stays linear on huge %s', (_, make) => {
    expect(isLinear(make, (text) => grader.grade(text, answer), 25_000)).toBe(true);
  });
});
