import { describe, expect, it } from 'vitest';
import { advanced, type LevelState } from './curriculum.ts';

const RULES = { raise: 0.7, lower: 0.3, window: 10, every: 2 };
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
