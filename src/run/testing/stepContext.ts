/** Small steps made by hand, for tests of metrics. */
import type { TrainedValues } from '@rl-playground/engine/parts';
import type { Rollout } from '../rollouts/rollout.ts';
import type { StepContext } from '../metrics/context.ts';

const PROBLEM = {
  task: 'sums',
  split: 'train',
  index: 0,
  question: '1+1?',
  compact: '1+1',
  answer: '2',
  data: null,
} as const;

/** A right answer of one token in group 0, learned from with log q = log p = log π_ref = −1; but for `changes`. */
export function rolloutWith(changes: Partial<Rollout> = {}): Rollout {
  const tokens = changes.tokens ?? [5];
  const ones = tokens.map(() => -1);
  return {
    problem: PROBLEM,
    taskIndex: 0,
    question: PROBLEM.question,
    index: 0,
    attempt: 0,
    level: null,
    group: 0,
    reward: { total: 1, parts: { accuracy: 1 }, correct: true, format: true, reason: '', extracted: '2' },
    stopReason: 'eos',
    text: '2',
    promptIds: [1, 2],
    tokens,
    logprobs: ones,
    advantages: tokens.map(() => 0),
    advantage: 0,
    policyVersion: 0,
    policyAge: 0,
    samplingSeconds: 1,
    referenceWeight: 1,
    trained: trainedWith({ logprobs: ones }),
    ...changes,
  };
}

/** All probabilities those of `logprobs`, entropies 1, the update not measured; but for `changes`. */
export function trainedWith(
  changes: Partial<TrainedValues> & Pick<TrainedValues, 'logprobs'>,
): TrainedValues {
  return {
    oldLogprobs: changes.logprobs,
    referenceLogprobs: changes.logprobs,
    entropies: Array.from(changes.logprobs, () => 1),
    postLogprobs: null,
    counted: true,
    ...changes,
  };
}

/** Step 1 of 10 with one update on `rollouts`. */
export function contextWith(rollouts: readonly Rollout[], changes: Partial<StepContext> = {}): StepContext {
  const groups = [...new Set(rollouts.map(({ group }) => group))];
  return {
    step: 1,
    totalSteps: 10,
    rollouts,
    rewardsPG: groups.map((group) =>
      rollouts.filter((rollout) => rollout.group === group).map(({ reward }) => reward.total),
    ),
    updates: [
      {
        loss: 0,
        gradNorm: 1,
        klSampleTrainV1: 0,
        klSampleTrainV2: 0,
        greatestGap: 0,
        exactTokens: 1,
        clippedLow: 0,
        clippedHigh: 0,
        tokens: 1,
      },
    ],
    updatesSkipped: 0,
    explainedVariance: null,
    learningRate: 1e-3,
    baseline: null,
    policyVersion: 1,
    totalTokens: 3,
    groupsRequeued: 0,
    rolloutErrors: 0,
    groupsSkipped: 0,
    leftOut: null,
    generators: 1,
    times: { total: 1, rollout: 0.5, reward: 0, train: 0.5, sync: 0, trainerBusy: 0.5, generatorsBusy: 0.5 },
    memoryBytes: null,
    handedOverBytes: 0,
    clip: null,
    ...changes,
  };
}
