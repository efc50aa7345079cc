import { describe, expect, it } from 'vitest';
import type { Rollout } from '@rl-playground/run/loop';
import { groupRollouts, ROLLOUT_FILTERS } from './rolloutGroups.ts';

function rollout(index: number, text: string, correct: boolean, format = true): Rollout {
  return {
    problem: {
      task: 'reverse_digits',
      split: 'train',
      index,
      question: `question ${index}`,
      compact: `${index}`,
      answer: '654321',
      data: { number: 123456 + index },
    },
    taskIndex: 0,
    question: `question ${index}`,
    text,
    reward: {
      total: correct ? 1 : -1,
      parts: {},
      correct,
      format,
      reason: '',
      extracted: null,
      matchedBy: 'none',
    },
    advantage: 0,
    advantages: [],
    index,
    attempt: 0,
    level: null,
    group: 0,
    policyVersion: 0,
    policyAge: 0,
    samplingSeconds: 0,
    referenceWeight: 1,
    trained: null,
    promptIds: [],
    tokens: [],
    logprobs: [],
    stopReason: 'eos',
  };
}

const ROLLOUTS = [
  rollout(0, 'a', false),
  rollout(0, 'b', false, false),
  rollout(0, 'c', true),
  rollout(1, 'd', true),
  rollout(1, 'e', true, false),
];

describe('groupRollouts', () => {
  it('groups by problem and shows both sides of a group first', () => {
    const { groups, matching, shown } = groupRollouts(ROLLOUTS, 'all', 12, 2);
    expect(groups.map((group) => group.shown.map((each) => each.rollout.text).join(''))).toEqual([
      'ca',
      'de',
    ]);
    expect(groups.map((group) => group.all.length)).toEqual([3, 2]);
    expect([matching, shown]).toEqual([5, 4]);
  });

  it('lists answers that read the same once', () => {
    const { groups, shown } = groupRollouts([...ROLLOUTS, rollout(1, 'd', true)], 'all', 12, 1);
    expect(groups.map((group) => group.shown.map((each) => each.times))).toEqual([[1], [2]]);
    expect(shown).toBe(3);
  });

  it('leaves out problems without a match', () => {
    const { groups, matching } = groupRollouts(ROLLOUTS, 'wrong', 12, 9);
    expect(groups.map((group) => group.question)).toEqual(['question 0']);
    expect(matching).toBe(2);
  });

  it('stops at the limit', () => {
    const { groups, shown, matching } = groupRollouts(ROLLOUTS, 'all', 3, 3);
    expect(groups).toHaveLength(1);
    expect([shown, matching]).toEqual([3, 5]);
  });
});

describe('a filter', () => {
  it('reads the tag apart from the number', () => {
    expect(ROLLOUT_FILTERS.noFormat.passes({ correct: true, format: false })).toBe(true);
    expect(ROLLOUT_FILTERS.correct.passes({ correct: true, format: false })).toBe(true);
    expect(ROLLOUT_FILTERS.noFormat.passes({ correct: false, format: true })).toBe(false);
  });
});
