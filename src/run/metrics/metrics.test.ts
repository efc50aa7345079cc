/** Every metric of one step against values worked out by hand. */
import { describe, expect, it } from 'vitest';
import { contextWith, rolloutWith, trainedWith } from '../testing/stepContext.ts';
import type { Reward } from '@rl-playground/tasks/parts';
import { METRICS, stepMetrics, type MetricKey } from './metrics.ts';

const reward = (
  parts: Record<string, number>,
  format: boolean,
  extracted: string | null,
  correct = parts['accuracy'] === 1,
): Reward => ({
  total: Object.values(parts).reduce((sum, part) => sum + part, 0),
  parts,
  correct,
  format,
  reason: '',
  extracted,
});

const sampled = { promptIds: [1, 2, 3, 4], policyVersion: 4, policyAge: 1 };
/** A completion whose group was removed from the update. */
const removed = { promptIds: [1, 2, 3, 4, 5, 6], policyVersion: 5, policyAge: 0, group: 1, trained: null };

const STEP = contextWith(
  [
    rolloutWith({
      ...sampled,
      reward: { ...reward({ accuracy: 1, format: 0.5 }, true, '12'), formatScore: 0.75 },
      tokens: [7, 8],
      logprobs: [-1, -0.5],
      samplingSeconds: 2,
      trained: trainedWith({
        logprobs: [-0.9, -0.8],
        oldLogprobs: [-1.2, -0.4],
        referenceLogprobs: [-1.1, -0.4],
        entropies: [0.7, 0.5],
        postLogprobs: [-0.8, -0.9],
      }),
    }),
    rolloutWith({
      ...sampled,
      reward: { ...reward({ accuracy: 0, format: 0.5 }, true, '13'), formatScore: 0.25 },
      stopReason: 'stop',
      tokens: [9],
      logprobs: [-2],
      samplingSeconds: 3,
      trained: trainedWith({
        logprobs: new Float64Array([-1.5]),
        oldLogprobs: [-1.9],
        referenceLogprobs: [-3],
        entropies: [1.2],
        postLogprobs: [-1.25],
      }),
    }),
    // Cut, and left out of the loss: its tokens are in no mean.
    rolloutWith({
      ...sampled,
      reward: reward({ accuracy: 0, format: 0 }, false, null),
      stopReason: 'max_tokens',
      tokens: [1, 1, 1, 1, 1],
      logprobs: [-9, -9, -9, -9, -9],
      samplingSeconds: 1,
      trained: trainedWith({
        logprobs: [-3, -3, -3, -3, -3],
        oldLogprobs: [-7, -7, -7, -7, -7],
        postLogprobs: [-1, -1, -1, -1, -1],
        counted: false,
      }),
    }),
    rolloutWith({
      ...removed,
      reward: reward({ accuracy: 1 }, false, '7'),
      tokens: [1, 2, 3],
      samplingSeconds: 4,
    }),
    rolloutWith({
      ...removed,
      reward: reward({ accuracy: 1 }, false, null),
      tokens: [1, 2, 3, 4],
      samplingSeconds: 0.5,
    }),
  ],
  {
    step: 3,
    totalSteps: 12,
    updates: [
      {
        loss: -0.5,
        value: { loss: 0.3, clipped: 0.25 },
        gradNorm: 2,
        klSampleTrainV1: 0.001,
        klSampleTrainV2: 0.002,
        greatestGap: 0.5,
        exactTokens: 1,
        clippedLow: 0.1,
        clippedHigh: 0.2,
        tokens: 2,
      },
      {
        loss: 0.25,
        gradNorm: 1.5,
        value: { loss: 0.2, clipped: 0.5 },
        klSampleTrainV1: -0.03,
        klSampleTrainV2: 0.04,
        greatestGap: 0.75,
        exactTokens: 0,
        clippedLow: 0,
        clippedHigh: 0.5,
        tokens: 1,
      },
    ],
    updatesSkipped: 1,
    explainedVariance: 0.625,
    learningRate: 3e-4,
    baseline: 0.25,
    policyVersion: 6,
    totalTokens: 1000,
    groupsRequeued: 2,
    rolloutErrors: 3,
    groupsSkipped: 4,
    generators: 2,
    times: { total: 10, rollout: 4, reward: 0.5, train: 5, sync: 0.25, trainerBusy: 6, generatorsBusy: 15 },
    memoryBytes: 1_000_000,
    handedOverBytes: 200_000,
    clip: { low: 0.8, high: 1.2, of: 'weight' },
  },
);

/** Rewards 1.5, 0.5, 0 | 1, 1; lengths 2, 1, 5 | 3, 4; the first three tokens are those of the golden case A. */
const EXPECTED: Record<MetricKey, number | null> = {
  progressBatch: 2,
  progressDone: 0.25,
  reward: 4 / 5,
  rewardStd: Math.sqrt((0.7 ** 2 + 0.3 ** 2 + 0.8 ** 2 + 0.2 ** 2 + 0.2 ** 2) / 4),
  rewardGroupMean: (2 / 3 + 1) / 2,
  rewardGroupStd: Math.sqrt(((5 / 6) ** 2 + (1 / 6) ** 2 + (4 / 6) ** 2) / 2) / 2,
  accuracy: 3 / 5,
  format: 2 / 5,
  // Of the two that have one.
  formatScore: 0.5,
  fracMixed: 0.5,
  fracAllGood: 0.5,
  fracAllBad: 0,
  fracRewardZeroStd: 2 / 5,
  rewardVariancePct: 50,
  answerVariancePct: 100,
  baseline: 0.25,
  loss: -0.125,
  gradNorm: 1.5,
  gradNormMax: 2,
  learningRate: 3e-4,
  updates: 2,
  updatesSkipped: 1,
  clipLow: 0.05,
  clipLowMin: 0,
  clipHigh: 0.35,
  clipHighMax: 0.5,
  clipRegion: 0.4,
  cispoClipRatio: 0.35,
  valueLoss: 0.25,
  valueClipped: 0.375,
  explainedVariance: 0.625,
  entropy: 2.4 / 3,
  samplerEntropy: 3.5 / 3,
  klK1: (0.2 - 0.4 + 1.5) / 3,
  klK2: (0.02 + 0.08 + 1.125) / 3,
  kl: (0.018730753 + 0.091824698 + 0.72313016) / 3,
  klPolicyBase: (0.1 - 0.1 + 1) / 3,
  klSampleTrainV1: (-0.1 + 0.3 - 0.5) / 3,
  klSampleTrainV2: (0.005 + 0.045 + 0.125) / 3,
  klFirstUpdateV1: 0.001,
  klFirstUpdateV2: 0.002,
  mismatchMax: 0.5,
  mismatchExact: 1,
  mismatchTokens: 2,
  klLaterUpdatesV1: 0.03,
  klLaterUpdatesV2: 0.04,
  klPrePostV1: (-0.2 + 0.4 - 0.75) / 3,
  klPrePostV2: (0.02 + 0.08 + 0.28125) / 3,
  samplerGapMean: (0.2 + 0.1 + 0.1) / 3,
  samplerGapMax: 0.2,
  importanceMin: 0.818730753,
  importanceMean: (0.818730753 + 2 * 1.105170918) / 3,
  importanceMax: 1.105170918,
  meanLength: 3,
  minLength: 1,
  maxLength: 5,
  meanTerminatedLength: 2.5,
  minTerminatedLength: 1,
  maxTerminatedLength: 4,
  truncated: 0.2,
  completions: 5,
  turnsPerEpisode: 1,
  completionTokens: 15,
  promptTokens: 24,
  meanPromptLength: 4.8,
  totalTokens: 1000,
  policyVersion: 6,
  trainingVersion: 5,
  samplingVersionMax: 5,
  samplingVersionMin: 4,
  samplingVersionMean: 4.5,
  policyAgeMax: 1,
  policyAgeMin: 0,
  policyAgeMean: 0.5,
  groupsRequeued: 2,
  rolloutErrors: 3,
  groupsSkipped: 4,
  seconds: 10,
  secondsRollout: 4,
  secondsReward: 0.5,
  secondsTrain: 5,
  secondsSync: 0.25,
  trainerBusy: 6,
  generatorsBusy: 15,
  trainerBusyShare: 0.6,
  generatorsBusyShare: 0.75,
  samplingSecondsMax: 4,
  samplingSecondsMin: 3,
  samplingSecondsMean: 3.5,
  memoryBytes: 1_000_000,
  handedOverBytes: 200_000,
};

describe('the metrics of a step', () => {
  const metrics = stepMetrics(STEP, []);

  it.each(Object.entries(EXPECTED) as [MetricKey, number | null][])('%s is %d', (key, expected) => {
    const value = metrics[key];
    if (expected === null) expect(value).toBeNull();
    else expect(value).toBeCloseTo(expected, 7);
  });

  it('reproduce the golden values of v1, v2 and the entropy estimate', () => {
    expect(metrics.klSampleTrainV1).toBeCloseTo(-0.1, 7);
    expect(metrics.klSampleTrainV2).toBeCloseTo(0.0583333, 7);
    expect(metrics.samplerEntropy).toBeCloseTo(1.1666667, 7);
  });

  it('have the parts of the reward, each over the completions that have it', () => {
    const [accuracy, format] = metrics.rewardParts;
    expect(metrics.rewardParts).toHaveLength(2);
    expect(accuracy).toMatchObject({ part: 'accuracy', mean: 3 / 5 });
    expect(accuracy?.std).toBeCloseTo(Math.sqrt((3 * 0.4 ** 2 + 2 * 0.6 ** 2) / 4), 12);
    expect(format).toMatchObject({ part: 'format', mean: 1 / 3 });
    expect(format?.std).toBeCloseTo(Math.sqrt((2 * (1 / 6) ** 2 + (1 / 3) ** 2) / 2), 12);
  });

  it('have the step and the tasks as they were given', () => {
    const tasks = [{ task: 'a', reward: 1, accuracy: 1, format: 1, n: 2, level: 3 }];
    expect(stepMetrics(STEP, tasks)).toMatchObject({ step: 3, tasks });
  });
});

describe('the registry', () => {
  it('has each key and each name once', () => {
    const keys = METRICS.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    const names = METRICS.flatMap((each) => each.names);
    expect(new Set(names).size).toBe(names.length);
  });
});
