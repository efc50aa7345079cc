import { describe, expect, it } from 'vitest';
import type { Rollout } from '../rollouts/rollout.ts';
import { rolloutWith, trainedWith } from '../testing/stepContext.ts';
import { recordedRollout, rolloutRecord } from './rolloutRecord.ts';

function scored(changes: Partial<Rollout> = {}): Rollout {
  return {
    ...rolloutWith(changes),
    question: 'What is 1+1?',
    index: 7,
    attempt: 0,
    advantage: 0.5,
    ...changes,
  };
}

describe('a line of rollouts.jsonl', () => {
  it('says what was asked and answered, what it earned, and which weights wrote it', () => {
    const rollout = scored({
      group: 2,
      attempt: 1,
      text: '[ANSWER] 3',
      tokens: [4, 5, 6],
      logprobs: [-1, -2, -0.75],
      advantage: -0.25,
      reward: {
        total: 0.2,
        parts: { accuracy: 0, format: 0.2 },
        correct: false,
        format: true,
        reason: 'no answer found',
        extracted: '3',
      },
      stopReason: 'max_tokens',
      policyVersion: 9,
      policyAge: 2,
    });
    expect(rolloutRecord(12, rollout)).toEqual({
      step: 12,
      group: 2,
      problem_index: 7,
      attempt: 1,
      task: 'sums',
      question: 'What is 1+1?',
      answer: '2',
      completion: '[ANSWER] 3',
      reward_reason: 'no answer found',
      extracted: '3',
      prompt_tokens: 2,
      completion_tokens: 3,
      reward: 0.2,
      reward_parts: { accuracy: 0, format: 0.2 },
      correct: false,
      format: true,
      advantage: -0.25,
      trained_on: true,
      stop_reason: 'max_tokens',
      policy_version: 9,
      policy_age: 2,
      mean_logprob: -1.25,
      prompt_ids: [1, 2],
      tokens: [4, 5, 6],
      logprobs: [-1, -2, -0.75],
      advantages: null,
      train_logprobs: [-1, -1, -1],
      old_logprobs: 'train_logprobs',
      reference_logprobs: [-1, -1, -1],
      entropies: [1, 1, 1],
    });
  });

  it('has null where there is no number, and says what was not learned from', () => {
    const record = rolloutRecord(1, scored({ tokens: [], logprobs: [], advantage: NaN, trained: null }));
    expect(record).toMatchObject({ mean_logprob: null, advantage: null, trained_on: false });
  });
});

describe('a line that is read again', () => {
  const again = (rollout: Rollout) => recordedRollout(JSON.parse(JSON.stringify(rolloutRecord(3, rollout))));
  const f32 = (values: ArrayLike<number>) => Array.from(values, Math.fround);
  const logprobs = [-0.1, -1 / 3, -1e-9];

  it('has the numbers of each token in f32, to the bit', () => {
    const rollout = scored({
      tokens: [4, 5, 6],
      logprobs,
      advantages: [0.3, 0.7, -1 / 7],
      trained: trainedWith({
        logprobs: Float32Array.of(-0.2, -Math.PI, -1e-20),
        oldLogprobs: Float32Array.of(-0.3, -2, -3),
        entropies: Float32Array.of(0.1, 1.7, 3e-8),
        referenceLogprobs: [],
      }),
    });
    const found = again(rollout);
    expect(f32(found.logprobs)).toEqual(f32(logprobs));
    expect(f32(found.advantages)).toEqual(f32(rollout.advantages));
    for (const name of ['logprobs', 'oldLogprobs', 'entropies'] as const)
      expect(f32(found.trained?.[name] ?? [])).toEqual(f32(rollout.trained?.[name] ?? []));
    expect(found.trained?.referenceLogprobs).toEqual([]);
    expect(found).toMatchObject({ tokens: [4, 5, 6], promptIds: [1, 2], text: '2', index: 7 });
    expect(found.reward).toMatchObject({ total: 1, correct: true, extracted: '2' });
  });

  it('finds p_old in the field that has the same numbers', () => {
    const trained = (old: readonly number[]) => ({
      tokens: [4, 5, 6],
      logprobs,
      advantages: [1, 1, 1],
      advantage: 1,
      trained: trainedWith({ logprobs: [-1, -2, -3], oldLogprobs: old }),
    });
    for (const old of [logprobs, [-1, -2, -3], [-3, -2, -1]]) {
      const found = again(scored(trained(old)));
      expect(f32(found.trained?.oldLogprobs ?? [])).toEqual(f32(old));
      expect(found.advantages).toEqual([1, 1, 1]);
    }
    expect(rolloutRecord(1, scored(trained(logprobs))).old_logprobs).toBe('logprobs');
  });

  it('is one of an answer that was left out', () => {
    expect(again(scored({ trained: null })).trained).toBeNull();
  });

  it('is refused with the field that does not fit', () => {
    const line = rolloutRecord(3, scored());
    expect(() => recordedRollout({ ...line, tokens: ['a'] })).toThrow(/^tokens\.0: /);
    expect(() => recordedRollout({ ...line, tokens: [5, 6] })).toThrow('tokens: 2, but another number');
    expect(() => recordedRollout({ ...line, reward_parts: 1 })).toThrow(/^reward_parts: /);
  });
});
