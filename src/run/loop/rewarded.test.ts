/** Rewards with a reward model's share, worked out by hand, and runs whose model fails. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Reward } from '@rl-playground/tasks/parts';
import {
  labelProblem,
  prepareRewardModel,
  provideRewardModel,
  type RewardModel,
  rewardModelProblem,
  type ScoreOutcome,
} from '../rewardModel/rewardModel.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { advantagesOf, saying, sayingAlways, SCRIPTED_CONFIG, withLoop } from '../testing/scriptedLoop.ts';
import { withScore } from './rewarded.ts';
import { ProgramFailing } from './scoring.ts';

afterEach(() => provideRewardModel(null));

const REWARD: Reward = {
  total: 1.2,
  parts: { accuracy: 1, format: 0.2 },
  correct: true,
  format: true,
  reason: 'Right.',
  extracted: '7',
};

describe('the reward', () => {
  test('is the weighted sum of the grader’s and the model’s', () => {
    const weights = { rewardWeight: 2, graderWeight: 0.5, rewardLabel: 'POSITIVE' };
    expect(withScore(REWARD, { score: 0.75 }, weights)).toEqual({
      ...REWARD,
      total: 2.1,
      parts: { accuracy: 0.5, format: 0.1, reward_model: 1.5 },
      reason: 'Right. The reward model on "POSITIVE": 0.750.',
    });
  });

  test('is the model’s alone where the grader weighs nothing', () => {
    const weights = { rewardWeight: -1, graderWeight: 0, rewardLabel: '' };
    expect(withScore(REWARD, { score: 0.25 }, weights)).toMatchObject({
      total: -0.25,
      parts: { reward_model: -0.25 },
      correct: true,
      reason: 'Right. The reward model: 0.250.',
    });
  });

  test('of an answer that the model fails for is left out', () => {
    const weights = { rewardWeight: 2, graderWeight: 1, rewardLabel: '' };
    expect(withScore(REWARD, { error: 'It failed.' }, weights)).toMatchObject({
      total: 1.2,
      parts: { accuracy: 1, format: 0.2, reward_model: 0 },
      reason: 'It failed.',
      error: 'It failed.',
      leftOut: true,
    });
  });
});

test.each([
  [['NEGATIVE', 'POSITIVE'], 'POSITIVE', null],
  [['GOOD'], '', null],
  [
    ['NEGATIVE', 'POSITIVE'],
    '',
    'There is no label to reward; it has NEGATIVE, POSITIVE. Choose one of them.',
  ],
  [
    ['NEGATIVE', 'POSITIVE'],
    'positive',
    'The model has no label "positive"; it has NEGATIVE, POSITIVE. Choose one of them.',
  ],
])('labels %j and "%s"', (labels, label, problem) => {
  expect(labelProblem(labels, { pipeline: 'text-classification', label })).toBe(problem);
});

/** A model that scores an answer by the digit that it says, and fails for any other. */
const digits: RewardModel = {
  name: 'digits',
  bytes: 1,
  prepare: () => Promise.resolve(['DIGIT']),
  score: (items) =>
    Promise.resolve(
      items.map(({ text }): ScoreOutcome => {
        return /^\d$/.test(text) ? { score: Number(text) } : { error: `The reward model failed: ${text}` };
      }),
    ),
};

const CONFIG: RunConfig = {
  ...SCRIPTED_CONFIG,
  rewardModel: 'digits',
  graderWeight: 0,
};

describe('a run', () => {
  test('goes on without the answers that the model fails for', async () => {
    provideRewardModel(digits);
    const script = saying(['1', '10', '0', '1'], ['10', '10', '10', '10']);
    await withLoop(CONFIG, script, async ({ loop, engine }) => {
      await engine.publish();
      const { metrics, rollouts } = await loop.step();
      // The mean of 1, 0, 1 is 2/3. Nothing is left of the second group.
      expect(advantagesOf(rollouts)).toEqual([0.333333, 0, -0.666667, 0.333333, 0, 0, 0, 0]);
      expect(metrics).toMatchObject({ reward: 2 / 3, completions: 3, leftOut: 5 });
    });
  });

  test('keeps its weights where the model fails for all', async () => {
    provideRewardModel(digits);
    const all = sayingAlways('10');
    await withLoop(CONFIG, all, async ({ loop, engine, policy }) => {
      await engine.publish();
      const before = await policy.pool.pack();
      const failing = loop.step();
      await expect(failing).rejects.toThrow(ProgramFailing);
      await expect(failing).rejects.toThrow(
        'The reward model failed for 8 answers in a row, so the step was cancelled. The last failure: The reward model failed: 10 Press Train to try again; with another reward model a new run begins.',
      );
      expect(loop.state.step).toBe(0);
      expect(await policy.pool.pack()).toEqual(before);
    });
  });

  test('is refused before it begins where the model is not here, or lacks the label', async () => {
    expect(rewardModelProblem({ rewardModel: '' })).toBeNull();
    expect(rewardModelProblem(CONFIG)?.title).toBe('The reward model digits is not loaded');
    provideRewardModel(digits);
    expect(rewardModelProblem(CONFIG)).toBeNull();
    await expect(prepareRewardModel(CONFIG)).resolves.toBeUndefined();
    await expect(prepareRewardModel({ ...CONFIG, rewardLabel: 'WORD' })).rejects.toThrow(
      'Reward model digits: The model has no label "WORD"; it has DIGIT. Choose one of them.',
    );
  });
});
