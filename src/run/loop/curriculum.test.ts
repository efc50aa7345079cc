import { describe, expect, it } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { advanced, askedLevel, type LevelState } from './curriculum.ts';

const RULES = { curriculumRaise: 0.7, curriculumLower: 0.3, curriculumWindow: 10, curriculumEvery: 2 };
const answers = (right: number, wrong: number): boolean[] => [
  ...Array.from({ length: right }, () => true),
  ...Array.from({ length: wrong }, () => false),
];
const at = (level: number, recent: readonly boolean[] = []): LevelState => ({ level, recent });

describe('a curriculum by success rate', () => {
  it.each([
    ['7 of 10 right: up, and the next level starts to count anew', at(1), answers(7, 3), 2, at(2)],
    ['6 of 10: stays', at(1), answers(6, 4), 2, at(1, answers(6, 4))],
    ['2 of 10: down', at(1), answers(2, 8), 2, at(0)],
    ['3 of 10: stays', at(1), answers(3, 7), 2, at(1, answers(3, 7))],
    ['nothing above the last level', at(3), answers(10, 0), 2, at(3, answers(10, 0))],
    ['nothing below the first', at(0), answers(0, 10), 2, at(0, answers(0, 10))],
    ['only every second step', at(1), answers(10, 0), 3, at(1, answers(10, 0))],
    ['only on a full window', at(1), answers(9, 0), 2, at(1, answers(9, 0))],
  ])('%s', (_, state, newest, step, expected) => {
    expect(advanced(state, newest, step, 4, RULES)).toEqual(expected);
  });

  it('looks at the newest answers only', () => {
    const state = advanced(at(0, answers(0, 10)), answers(7, 0), 2, 4, RULES);
    // 3 old wrong ones stay in the window of 10.
    expect(state).toEqual(at(1));
  });
});

describe('the level that is asked', () => {
  const counts = (current: number, review: number): number[] => {
    const levels = Array.from({ length: 4000 }, (_, i) => askedLevel(current, review, drawsFor(7, i)));
    return [0, 1, 2, 3, 4].map((level) => levels.filter((each) => each === level).length);
  };

  it('is the current one without review and at the first level', () => {
    expect(counts(3, 0)).toEqual([0, 0, 0, 4000, 0]);
    expect(counts(0, 0.5)).toEqual([4000, 0, 0, 0, 0]);
  });

  it('is an easier one as often as the review says, each of them as likely', () => {
    const [a = 0, b = 0, c = 0, current = 0, above] = counts(3, 0.3);
    // Binomial with n = 4000: four standard deviations are 116 for p = 0.3 and 76 for p = 0.1.
    expect(Math.abs(current - 2800)).toBeLessThan(116);
    for (const easier of [a, b, c]) expect(Math.abs(easier - 400)).toBeLessThan(76);
    expect(above).toBe(0);
    expect(counts(2, 1)[2]).toBe(0);
  });
});
