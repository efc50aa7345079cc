/** Steps in which some mean has nothing under it. */
import { describe, expect, it } from 'vitest';
import { contextWith, rolloutWith, trainedWith } from '../testing/stepContext.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import type { StepContext } from './context.ts';
import { METRICS, stepMetrics } from './metrics.ts';

const one = (changes: Partial<Rollout>, step: Partial<StepContext> = {}) =>
  stepMetrics(contextWith([rolloutWith(changes)], step), []);

/** Keys that are null and keys that are no finite number. */
function holes(metrics: ReturnType<typeof one>): { absent: string[]; broken: string[] } {
  const values = METRICS.map(({ key }) => ({ key, value: metrics[key] }));
  return {
    absent: values.filter(({ value }) => value === null).map(({ key }) => key),
    broken: values.filter(({ value }) => value !== null && !Number.isFinite(value)).map(({ key }) => key),
  };
}

const OVER_TOKENS = [
  'entropy',
  'samplerEntropy',
  'kl',
  'klK1',
  'klK2',
  'klPolicyBase',
  'klSampleTrainV1',
  'klSampleTrainV2',
  'samplerGapMean',
  'samplerGapMax',
  'importanceMin',
  'importanceMean',
  'importanceMax',
];

describe('a mean over nothing is null', () => {
  it.each([
    ['nothing was learned from', { trained: null }],
    ['all was cut and left out', { trained: trainedWith({ logprobs: [-1], counted: false }) }],
  ])('where %s', (_case, changes) => {
    const { absent, broken } = holes(one(changes, { updates: [] }));
    expect(absent).toEqual(expect.arrayContaining([...OVER_TOKENS, 'loss', 'gradNorm', 'gradNormMax']));
    expect(broken).toEqual([]);
  });

  it('where there was one update, none of it clipped, one group of one, no time and no generator', () => {
    const idle = { total: 0, rollout: 0, reward: 0, train: 0, sync: 0, trainerBusy: 0, generatorsBusy: 0 };
    const { absent, broken } = holes(one({}, { times: idle, generators: 0 }));
    expect(absent.toSorted()).toEqual(
      [
        'rewardGroupStd',
        'formatScore',
        'baseline',
        'clipLow',
        'clipLowMin',
        'clipHigh',
        'clipHighMax',
        'clipRegion',
        'cispoClipRatio',
        'klLaterUpdatesV1',
        'klLaterUpdatesV2',
        'klPrePostV1',
        'klPrePostV2',
        'valueLoss',
        'valueClipped',
        'explainedVariance',
        'trainerBusyShare',
        'generatorsBusyShare',
        'memoryBytes',
      ].toSorted(),
    );
    expect(broken).toEqual([]);
  });

  it('counts a completion without tokens', () => {
    const metrics = one({ tokens: [], logprobs: [], trained: trainedWith({ logprobs: [] }) });
    expect(metrics).toMatchObject({ meanLength: 0, minLength: 0, entropy: null });
    expect(holes(metrics).broken).toEqual([]);
  });
});

describe('edges', () => {
  it('has 0 for lengths of ended completions where all were cut, as TRL logs it', () => {
    expect(one({ stopReason: 'max_tokens', tokens: [1, 2, 3] })).toMatchObject({
      truncated: 1,
      meanTerminatedLength: 0,
      minTerminatedLength: 0,
      maxTerminatedLength: 0,
    });
  });

  it('takes the mean of groups for what it is where groups differ in size', () => {
    const totals = [[1, 1, 1], [0]];
    const rollouts = totals.flatMap((rewards, group) =>
      rewards.map((total) =>
        rolloutWith({
          group,
          reward: { total, parts: {}, correct: total === 1, format: true, reason: '', extracted: null },
        }),
      ),
    );
    expect(stepMetrics(contextWith(rollouts), [])).toMatchObject({ reward: 0.75, rewardGroupMean: 0.5 });
  });

  it('gives the spread within groups and over all answers', () => {
    const rollouts = [
      [1, 0],
      [3, 0],
    ].flatMap((rewards, group) =>
      rewards.map((total) =>
        rolloutWith({
          group,
          reward: { total, parts: {}, correct: false, format: true, reason: '', extracted: null },
        }),
      ),
    );
    const { rewardGroupStd, rewardStd } = stepMetrics(contextWith(rollouts), []);
    expect(rewardGroupStd).toBeCloseTo((Math.SQRT1_2 + 3 * Math.SQRT1_2) / 2, 12);
    // Mean 1; squares 0 + 1 + 4 + 1, over 3.
    expect(rewardStd).toBeCloseTo(Math.sqrt(2), 12);
  });

  it('draws the line between good and bad at 0.5 of the reward', () => {
    const group = (number: number, total: number) =>
      rolloutWith({
        group: number,
        reward: { total, parts: {}, correct: false, format: false, reason: '', extracted: null },
      });
    const metrics = stepMetrics(contextWith([group(0, 0.5), group(1, 0.49), group(2, -1), group(3, 1)]), []);
    expect(metrics).toMatchObject({ fracAllGood: 0.5, fracAllBad: 0.5, fracMixed: 0, fracRewardZeroStd: 1 });
  });

  it('asks for varied answers, and for varied accuracy whatever the format earned', () => {
    const answer = (group: number, accuracy: number, format: number, extracted: string | null) =>
      rolloutWith({
        group,
        reward: {
          total: accuracy + format,
          parts: { accuracy, format },
          correct: accuracy === 1,
          format: format > 0,
          reason: '',
          extracted,
        },
      });
    const rollouts = [
      answer(0, 0, 0.5, '3'),
      answer(0, 0, 0, '4'),
      answer(1, 0, 0, null),
      answer(1, 0, 0.5, null),
      answer(2, 0.3, 0, '5'),
      answer(2, 0.1, 0, '5'),
      answer(3, 1, 0, '6'),
      answer(3, 0, 0, null),
    ];
    expect(stepMetrics(contextWith(rollouts), [])).toMatchObject({
      rewardVariancePct: 50,
      answerVariancePct: 50,
    });
  });

  it('takes being right for the accuracy reward of tasks without such a part', () => {
    const digits = (correct: boolean, total: number) =>
      rolloutWith({
        reward: { total, parts: { correct: total }, correct, format: true, reason: '', extracted: '1' },
      });
    expect(stepMetrics(contextWith([digits(true, 1), digits(false, -1)]), []).rewardVariancePct).toBe(100);
    expect(stepMetrics(contextWith([digits(true, 1), digits(true, -1)]), []).rewardVariancePct).toBe(0);
  });

  it('has a share of clipped weights under CISPO alone', () => {
    const of = (kind: 'ratio' | 'weight') => one({}, { clip: { low: 0, high: 1.2, of: kind } });
    expect(of('ratio')).toMatchObject({ clipHigh: 0, cispoClipRatio: null });
    expect(of('weight')).toMatchObject({ clipHigh: 0, cispoClipRatio: 0 });
  });

  it('refuses a step without completions, and values that do not cover a completion', () => {
    expect(() => stepMetrics(contextWith([]), [])).toThrow('Step 1 has 0 scored completions');
    const short = trainedWith({ logprobs: [-1, -1], entropies: [0.5] });
    expect(() => one({ tokens: [1, 2], trained: short })).toThrow('hold 1 tokens; token 2');
  });
});
