import { describe, expect, it } from 'vitest';
import { drawsFor, pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { hostileText } from '@rl-playground/base/testing/hostileText';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { TODAY } from '@rl-playground/base/testing/today';
import { GRADER_DEFAULTS } from '../../define/definition.ts';
import { graderOf } from './index.ts';

const COUNT = everyProof ? 20_000 : 1500;
const [number, boxed] = [graderOf(GRADER_DEFAULTS.number), graderOf(GRADER_DEFAULTS.boxed)];

/** A whole number of 1 to 40 digits. */
function digitsOf(draw: Draw): string {
  const length = uniformInt(draw, 1, pick(draw, [3, 9, 40]));
  const digits = Array.from({ length }, () => uniformInt(draw, 0, 9)).join('');
  return digits.replace(/^0+(?=.)/, '');
}

const grouped = (digits: string, mark: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, () => mark);
const FULL_WIDTH = (digits: string): string =>
  digits.replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
const MARKS = [',', ' ', "'", '’', '_', '{,}', ',\\!', '\\,', '\u00a0', '\u202f', '，'];

/** Ways to write a whole number, by its sign and its digits. */
const SPELLINGS: readonly ((sign: string, digits: string, draw: Draw) => string)[] = [
  (sign, digits) => sign + digits,
  (sign, digits, draw) => sign + grouped(digits, pick(draw, MARKS)),
  (sign, digits) => sign + FULL_WIDTH(digits),
  (sign, digits) => `${sign.replace('-', '−')}${digits}`,
  (sign, digits) => `${sign.replace('-', '–')}${digits}.0`,
  (sign, digits) => `${sign}${digits}.000`,
  (sign, digits) => `${sign}$${grouped(digits, ',')}`,
  (sign, digits) => `\\$${sign}${digits}`,
  (sign, digits) => `${sign}${digits} cm`,
  (sign, digits) => `${sign}${digits}\\text{ apples}`,
  (sign, digits) => `$${sign}${digits}$`,
  (sign, digits) => `**${sign}${digits}**`,
  (sign, digits) => `x = ${sign}${digits}`,
  (sign, digits) => `${sign}${digits}00e-2`,
  (sign, digits) => `${sign}${digits.charAt(0)}.${digits.slice(1) || '0'} × 10^${digits.length - 1}`,
  (sign, digits) => `${sign}0.${digits} \\times 10^{${digits.length}}`,
  (sign, digits) => `\\boxed{${sign}${digits}}`,
  (sign, digits) => `It follows.\n#### ${sign}${digits}`,
];

/** Ways to write `above / below`, which is in lowest terms and below 1. */
function fractions(above: number, below: number, whole: number): readonly string[] {
  const all = whole * below + above;
  return [
    `${all}/${below}`,
    `\\frac{${all}}{${below}}`,
    `\\dfrac{${all}}{${below}}`,
    whole === 0 ? `${above} / ${below}` : `${whole} ${above}/${below}`,
    whole === 0 ? `${above}⁄${below}` : `${whole}\\frac{${above}}{${below}}`,
  ];
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

describe(`spellings of the same value, seed ${TODAY}`, () => {
  it('agree, and those of a neighbour do not', () => {
    const faults: string[] = [];
    for (let i = 0; i < COUNT; i++) {
      const draw = drawsFor(TODAY, 1, i);
      const digits = digitsOf(draw);
      const sign = digits !== '0' && draw() < 0.3 ? '-' : '';
      const neighbour = `${BigInt(digits) + 1n}`;
      const [gold, same] = [pick(draw, SPELLINGS), pick(draw, SPELLINGS)];
      const [truth, given] = [gold(sign, digits, draw), same(sign, digits, draw)];
      const bare = given.replace(/^It follows\.\n#### |^\\boxed\{(.*)\}$/, '$1');
      const other = same(sign, neighbour, draw).replace(/^It follows\.\n#### |^\\boxed\{(.*)\}$/, '$1');
      const cases = [
        number.grade(`<answer>${bare}</answer>`, truth).correct,
        boxed.grade(`\\boxed{${bare}}`, truth).correct,
        !number.grade(`<answer>${other}</answer>`, truth).correct,
        !boxed.grade(`\\boxed{${other}}`, truth).correct,
        number.answerError(truth) === null && boxed.answerError(truth) === null,
      ];
      if (cases.includes(false)) faults.push(`${truth} | ${bare} | ${other}: ${cases.join()}`);
    }
    expect(faults.slice(0, 10)).toEqual([]);
  });

  it('of fractions agree', () => {
    const faults: string[] = [];
    for (let i = 0; i < COUNT; i++) {
      const draw = drawsFor(TODAY, 2, i);
      const below = uniformInt(draw, 2, 99);
      const above = uniformInt(draw, 1, below - 1);
      if (divisor(above, below) > 1) continue;
      const spelled = fractions(above, below, pick(draw, [0, 1, 17]));
      const [truth, given] = [pick(draw, spelled), pick(draw, spelled)];
      if (!number.grade(`so ${given}`, truth).correct || !boxed.grade(`\\boxed{${given}}`, truth).correct)
        faults.push(`${truth} | ${given}`);
      if (number.grade(`so ${below}`, truth).correct) faults.push(`${truth} | ${below}`);
    }
    expect(faults.slice(0, 10)).toEqual([]);
  });
});

describe(`golds that are taken, seed ${TODAY}`, () => {
  const GOLDS = [
    '42',
    '-1,234.5',
    '3/4',
    '2 1/2',
    '3 × 10^8',
    '12:30',
    '[1, 2)',
    'B',
    '\\sqrt{2}',
    '1 and 2',
    'x=5',
  ];

  it.each([
    ['number', number],
    ['boxed', boxed],
    ['multiple choice', graderOf(GRADER_DEFAULTS.multiple_choice)],
    ['answer tag', graderOf(GRADER_DEFAULTS.answer_tag)],
  ])('are right when they are written back: %s', (_, grader) => {
    const faults: string[] = [];
    let taken = 0;
    for (let i = 0; i < COUNT; i++) {
      const draw = drawsFor(TODAY, 3, i);
      const gold = draw() < 0.1 ? pick(draw, GOLDS) : hostileText(draw, pick(draw, GOLDS)).slice(0, 300);
      if (gold === '' || grader.answerError(gold) !== null) continue;
      taken++;
      if (!grader.grade(grader.worked(gold), gold).correct) faults.push(JSON.stringify(gold));
    }
    expect(taken).toBeGreaterThan(COUNT / 100);
    expect(faults.slice(0, 10)).toEqual([]);
  });
});
