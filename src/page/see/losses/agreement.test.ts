import { expect, test } from 'vitest';
import {
  agreeingRanges,
  overAnswer,
  overRatio,
  partings,
  verdict,
  weighing,
  type Side,
} from './agreement.ts';

const side = (given: Partial<Side>): Side => ({
  name: 'GRPO',
  formula: 'min',
  coefficients: [0.5, 0, 1.1],
  weight: 0.25,
  reduction: 'mean over an answer, then over answers',
  ownReduction: 'mean over an answer, then over answers',
  ...given,
});
const reinforce = side({ name: 'REINFORCE', formula: 'log', coefficients: [0.5, 0, 1] });

test('a verdict has the reason that holds at the token', () => {
  const grpo = side({});
  expect(verdict(grpo, reinforce, 0, { ratio: 1.0001, advantage: 0.5 })).toContain('ρ is 1');
  expect(verdict(grpo, reinforce, 0, { ratio: 1.1, advantage: 0.5 })).toBe(
    'They agree here: at ρ = 1.10 both give g = 0.5.',
  );
  expect(verdict(grpo, reinforce, 1, { ratio: 1.1, advantage: 0 })).toContain('the advantage is 0');
  expect(verdict(grpo, reinforce, 1, { ratio: 1.4, advantage: 1 })).toContain('both are clipped');
  expect(verdict(grpo, side({ name: 'PPO' }), 2, { ratio: 1.1, advantage: 1 })).toContain('the same formula');
  expect(verdict(grpo, reinforce, 2, { ratio: 1.1, advantage: 1 })).toBe(
    'They differ here: at ρ = 1.10, GRPO makes the token more likely with g = 1.1, and REINFORCE makes the token more likely with g = 1.',
  );
  const clipped = side({ coefficients: [0] });
  expect(
    verdict(clipped, side({ name: 'CISPO', coefficients: [-1.2] }), 0, { ratio: 0.7, advantage: -1 }),
  ).toBe(
    'They differ here: at ρ = 0.70, GRPO leaves the token as it is with g = 0, and CISPO makes the token less likely with g = −1.2.',
  );
});

test('weights and whole answers are put into words', () => {
  expect(weighing(side({}), reinforce)).toBe(
    'Both weigh the token alike, w = 0.25 (mean over an answer, then over answers).',
  );
  expect(weighing(side({}), side({ name: 'PPO', weight: 1, reduction: 'sum over all tokens' }))).toBe(
    'They weigh it differently: GRPO by w = 0.25 (mean over an answer, then over answers), PPO by w = 1 (sum over all tokens).',
  );
  expect(weighing(side({}), side({ name: 'PPO', ownReduction: 'sum over all tokens' }))).toContain(
    'they would differ: GRPO has “mean over an answer, then over answers”, PPO “sum over all tokens”.',
  );
  expect(partings(side({}), reinforce)).toEqual([2]);
  expect(overAnswer(side({}), reinforce)).toBe('They differ at 1 of the 3 tokens of this answer: 3.');
  expect(overAnswer(side({}), side({}))).toBe('They agree at all 3 tokens of this answer.');
});

test('curves agree over ranges of the ratio', () => {
  const curve = (of: (ratio: number) => number) =>
    [0.5, 0.75, 1, 1.25, 1.5].map((ratio) => ({ ratio, coefficient: of(ratio) }));
  const clipped = curve((ratio) => (ratio > 1.2 ? 0 : ratio));
  expect(
    agreeingRanges(
      clipped,
      curve((ratio) => ratio),
    ),
  ).toEqual([[0.5, 1]]);
  expect(
    overRatio(
      clipped,
      curve((ratio) => ratio),
    ),
  ).toBe('Over the ratio, they agree from ρ = 0.50 to 1.00, and differ elsewhere.');
  expect(
    overRatio(
      clipped,
      curve(() => 1),
    ),
  ).toBe('Over the ratio, they agree at ρ = 1.00, and differ elsewhere.');
  expect(overRatio(clipped, clipped)).toBe('If the token’s ratio were another, the two would still agree.');
  expect(
    overRatio(
      clipped,
      curve(() => 7),
    ),
  ).toBe('They agree at no ratio.');
});
