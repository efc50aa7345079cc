import { describe, expect, it } from 'vitest';
import { defaultConfig } from './presets/presets.ts';
import { parseConfig } from './check.ts';
import { planUpdates } from '@rl-playground/engine/parts';
import { type RunConfig, isFieldKey, answersInStep, updatesPerBatch } from './schema/schema.ts';

type Change = Partial<RunConfig>;

/** 16 problems of 8 answers: 128 answers a step. */
const BASE = defaultConfig('reverse_digits');

function errorsOf(...changes: readonly Change[]): readonly string[] {
  const parsed = parseConfig(Object.assign({}, BASE, ...changes));
  return parsed.ok ? [] : parsed.errors;
}

const STREAM: Change = { schedule: 'stream', numMinibatches: 4 };
const PPO: Change = { loss: 'ppo', baseline: 'none' };
const BOUNDS: Change = { clipMeaning: 'ratio_bounds', clipLow: 0.8, clipHigh: 1.2 };

/** The subject, settings around it, the change that breaks it, its neighbour that holds, and parts of the message. */
const CASES: readonly (readonly [
  about: string,
  around: Change,
  broken: Change,
  good: Change,
  words: readonly string[],
])[] = [
  [
    'a reduction of its own: bnpo',
    { loss: 'bnpo' },
    { lossReduction: 'token_mean' },
    { lossReduction: 'minibatch_token_mean' },
    ['lossReduction: "token_mean"', '"bnpo"', 'choose "auto" or "minibatch_token_mean"'],
  ],
  [
    'a reduction of its own: dr_grpo',
    { loss: 'dr_grpo' },
    { lossReduction: 'sequence_mean' },
    { lossReduction: 'max_length' },
    ['lossReduction: "sequence_mean"', 'choose "auto" or "max_length"'],
  ],
  [
    'a reduction of its own: dapo',
    { loss: 'dapo' },
    { lossReduction: 'sum' },
    { lossReduction: 'auto' },
    ['lossReduction: "sum"', 'choose "auto" or "batch_token_mean"'],
  ],
  [
    'old answers need a correction',
    { schedule: 'async', oldLogprobs: 'trainer' },
    { importanceCap: 0 },
    { importanceCap: 2 },
    ['importanceCap: 0', 'choose more than 0 (2 is usual), or set oldLogprobs to "sampler"'],
  ],
  [
    'ε below 1',
    { ...PPO, clipMeaning: 'epsilon' },
    { clipLow: 1.01 },
    { clipLow: 1 },
    ['clipLow: 1.01', 'choose 0 to 1'],
  ],
  [
    'CISPO has no lower bound as ε',
    { clipMeaning: 'epsilon', clipLow: 1.01, clipHigh: 5 },
    PPO,
    { loss: 'cispo', baseline: 'none' },
    ['clipLow: 1.01'],
  ],
  [
    'bounds in order',
    { ...PPO, ...BOUNDS },
    { clipLow: 1.2 },
    { clipLow: 1 },
    ['clipLow: 1.2', 'clipHigh 1.2'],
  ],
  ['1 above the lower bound', { ...PPO, ...BOUNDS }, { clipLow: 1.05 }, { clipLow: 0.99 }, ['clipLow: 1.05']],
  ['1 below the upper bound', { ...PPO, ...BOUNDS }, { clipHigh: 0.95 }, { clipHigh: 1 }, ['clipHigh: 0.95']],
  [
    'a weight above 0 under CISPO',
    { loss: 'cispo', clipMeaning: 'epsilon' },
    { clipHigh: 0 },
    { clipHigh: 0.1 },
    ['clipHigh: 0 ', 'nothing would be learned'],
  ],
  [
    'δ needs a clipped loss',
    { clipDelta: 4, baseline: 'none' },
    { loss: 'cispo' },
    { loss: 'ppo' },
    ['clipDelta: 4', 'ppo, ', 'dapo'],
  ],
  [
    'δ above 1 + ε',
    { ...PPO, clipHigh: 0.25 },
    { clipDelta: 1.25 },
    { clipDelta: 1.26 },
    ['clipDelta: 1.25', 'more than 1.25'],
  ],
  [
    'δ above the upper bound',
    { ...PPO, ...BOUNDS },
    { clipDelta: 1.2 },
    { clipDelta: 1.3 },
    ['clipDelta: 1.2'],
  ],
  [
    'ratios of answers',
    { ratioLevel: 'sequence', baseline: 'none' },
    { loss: 'reinforce' },
    { loss: 'importance_sampling' },
    ['ratioLevel: "sequence"', '"reinforce"', 'choose "token"'],
  ],
  [
    'truncated importance sampling',
    { importanceCap: 2 },
    { oldLogprobs: 'sampler' },
    { oldLogprobs: 'trainer' },
    ['importanceCap: 2', 'oldLogprobs is "sampler"'],
  ],
  [
    'GRPO compares within groups: none',
    { loss: 'grpo' },
    { baseline: 'none' },
    { baseline: 'leave_one_out' },
    ['baseline: "none"', '"grpo"'],
  ],
  [
    'GRPO compares within groups: moving',
    { loss: 'dr_grpo', lossReduction: 'auto' },
    { baseline: 'moving' },
    { baseline: 'group' },
    ['baseline: "moving"', '"dr_grpo"'],
  ],
  [
    'two answers to compare',
    { loss: 'importance_sampling', baseline: 'leave_one_out' },
    { rolloutsPerProblem: 1 },
    { rolloutsPerProblem: 2 },
    ['rolloutsPerProblem: 1', 'at least 2'],
  ],
  [
    'one answer without comparison',
    { loss: 'importance_sampling', rolloutsPerProblem: 1 },
    { baseline: 'group' },
    { baseline: 'moving' },
    ['rolloutsPerProblem: 1'],
  ],
  [
    'the standard deviation of a group',
    { loss: 'reinforce', baseline: 'moving' },
    { advantageScale: 'group' },
    { advantageScale: 'batch' },
    ['advantageScale: "group"', 'baseline is "moving"'],
  ],
  [
    'most answers of a step',
    { rolloutsPerProblem: 256 },
    { problemsPerStep: 65 },
    { problemsPerStep: 64 },
    ['problemsPerStep: 65', '16640', '16384'],
  ],
  [
    'the base under LoRA',
    { loraRank: 0 },
    { klReference: 'base' },
    { klReference: 'base', loraRank: 1 },
    ['klReference: "base"', 'loraRank is 0'],
  ],
  [
    'KL in the advantages: temperature',
    { klPenaltyCoef: 0.1 },
    { temperature: 0.7 },
    { temperature: 1 },
    ['klPenaltyCoef: 0.1', 'temperature 0.7'],
  ],
  ['KL in the advantages: top-p', { klPenaltyCoef: 0.1 }, { topP: 0.9 }, { topP: 1 }, ['topP 0.9']],
  ['KL in the advantages: top-k', { klPenaltyCoef: 0.1 }, { topK: 20 }, { topK: 0 }, ['topK 20']],
  [
    'a KL that leaves out updates',
    { targetKl: 0.05 },
    { ppoEpochs: 1 },
    { ppoEpochs: 2 },
    ['targetKl: 0.05', 'only one'],
  ],
  [
    'a KL that leaves out updates: accumulated',
    { targetKl: 0.05, miniBatchSize: 32 },
    { gradientAccumulation: 4 },
    { gradientAccumulation: 2 },
    ['targetKl: 0.05'],
  ],
  [
    'parts of a step',
    {},
    { numSubsteps: 3 },
    { numSubsteps: 4 },
    ['numSubsteps: 3', '128 answers (16 problems of 8)'],
  ],
  [
    'parts or mini-batches',
    { numSubsteps: 2 },
    { miniBatchSize: 32 },
    { miniBatchSize: 0 },
    ['numSubsteps: 2', 'miniBatchSize 32'],
  ],
  [
    'mini-batches of a step',
    {},
    { miniBatchSize: 48 },
    { miniBatchSize: 64 },
    ['miniBatchSize: 48', '128 answers'],
  ],
  [
    'mini-batches of a step, by generators',
    { oneProblemPerGenerator: true, numGenerators: 3, rolloutsPerProblem: 4 },
    { miniBatchSize: 8 },
    { miniBatchSize: 6 },
    ['miniBatchSize: 8', '12 answers (3 problems of 4)'],
  ],
  [
    'something to accumulate',
    { numSubsteps: 1, miniBatchSize: 0 },
    { gradientAccumulation: 2 },
    { gradientAccumulation: 2, numSubsteps: 2 },
    ['gradientAccumulation: 2', 'a step is one batch'],
  ],
  [
    'updates of whole mini-batches',
    { miniBatchSize: 16 },
    { gradientAccumulation: 3 },
    { gradientAccumulation: 4 },
    ['gradientAccumulation: 3', '8 mini-batches'],
  ],
  [
    'updates of whole parts',
    { numSubsteps: 4 },
    { gradientAccumulation: 3 },
    { gradientAccumulation: 2 },
    ['gradientAccumulation: 3', '32 answers of each of the 4 updates'],
  ],
  [
    'generators that wait for each other',
    { oneProblemPerGenerator: true },
    { schedule: 'async' },
    { schedule: 'sync' },
    ['oneProblemPerGenerator: true', 'it is "async"'],
  ],
  [
    'groups that can have a signal',
    { loss: 'reinforce', baseline: 'moving', rolloutsPerProblem: 1 },
    { removeConstantGroups: true },
    { removeConstantGroups: false },
    ['removeConstantGroups: true', 'rolloutsPerProblem is 1'],
  ],
  [
    'streamed parts of whole groups',
    { ...STREAM, numSubsteps: 2 },
    { problemsPerStep: 12 },
    { problemsPerStep: 24 },
    ['problemsPerStep: 12', '2 × 4 = 8', 'multiple of 8'],
  ],
  ['streaming: passes', STREAM, { ppoEpochs: 2 }, { ppoEpochs: 1 }, ['ppoEpochs: 2', 'rest of the batch']],
  ['streaming: shuffling', STREAM, { miniBatchSize: 64 }, { miniBatchSize: 0 }, ['miniBatchSize: 64']],
  [
    'streaming: accumulation',
    { ...STREAM, numSubsteps: 2 },
    { gradientAccumulation: 2 },
    { gradientAccumulation: 1 },
    ['gradientAccumulation: 2', 'numMinibatches'],
  ],
  [
    'streaming: batch scale',
    STREAM,
    { advantageScale: 'batch' },
    { advantageScale: 'group' },
    ['advantageScale: "batch"'],
  ],
  [
    'streaming: KL penalty',
    STREAM,
    { klPenaltyCoef: 0.1 },
    { klPenaltyCoef: 0 },
    ['klPenaltyCoef: 0.1', 'mean'],
  ],
  [
    'streaming: old probabilities',
    { ...STREAM, oldLogprobs: 'trainer' },
    { numSubsteps: 2 },
    { numSubsteps: 1 },
    ['oldLogprobs: "trainer"'],
  ],
  [
    'streaming: an early stop',
    { ...STREAM, numSubsteps: 4 },
    { targetKl: 0.01 },
    { targetKl: 0 },
    ['targetKl: 0.01', 'schedule "stream"'],
  ],
  [
    'streaming: KL of the update',
    STREAM,
    { computePostKl: true },
    { computePostKl: false },
    ['computePostKl: true', 'whole batch'],
  ],
  [
    'a loss that compares within groups with a value head',
    { loss: 'ppo' },
    { baseline: 'value', loss: 'grpo' },
    { baseline: 'value' },
    ['baseline: "value"', '"grpo"'],
  ],
  [
    'a value head that learns from some answers alone',
    { ...PPO, removeConstantGroups: true },
    { baseline: 'value' },
    { baseline: 'none' },
    ['removeConstantGroups: true', 'value head', 'choose false'],
  ],
  [
    'a value head under streaming',
    { ...STREAM, ...PPO },
    { baseline: 'value' },
    { baseline: 'none' },
    ['baseline: "value"', '"stream"', 'before the rest of the batch is sampled', 'choose another baseline'],
  ],
  [
    'a value head, and deviations of a group',
    { ...PPO, baseline: 'value' },
    { advantageScale: 'group' },
    { advantageScale: 'batch' },
    ['advantageScale: "group"', '"value"', 'choose "none" or "batch"'],
  ],
];

describe('rules between settings', () => {
  it.each(CASES)('%s', (_about, around, broken, good, words) => {
    const errors = errorsOf(around, broken);
    expect(errors).toHaveLength(1);
    const [error = ''] = errors;
    expect(isFieldKey(error.slice(0, error.indexOf(': ')))).toBe(true);
    for (const word of words) expect(error).toContain(word);
    expect(error).toMatch(/; [^;]*(choose|set|cut)/);
    expect(errorsOf(around, good)).toEqual([]);
  });

  it('let one problem per generator have any number of answers', () => {
    for (const rolloutsPerProblem of [2, 5])
      expect(errorsOf({ oneProblemPerGenerator: true, rolloutsPerProblem })).toEqual([]);
  });

  it('count the updates of a batch as it is cut', () => {
    const updates = (count: number, change: Change): void => {
      const config = { ...BASE, ...change };
      expect(updatesPerBatch(config)).toBe(count);
      expect(planUpdates(answersInStep(config), config, () => 0)).toHaveLength(count);
    };
    updates(1, {});
    updates(4, { numSubsteps: 4 });
    updates(4, { numSubsteps: 4, gradientAccumulation: 2 });
    updates(12, { numSubsteps: 4, gradientAccumulation: 8, ppoEpochs: 3 });
    updates(8, { miniBatchSize: 16 });
    updates(2, { miniBatchSize: 16, gradientAccumulation: 4 });
    updates(6, { miniBatchSize: 16, gradientAccumulation: 4, ppoEpochs: 3 });
  });

  it('leave settings alone that the loss does not use', () => {
    expect(errorsOf({ loss: 'reinforce', clipMeaning: 'ratio_bounds', clipLow: 3, clipHigh: 2 })).toEqual([]);
  });

  it('let any reduction go with grpo, ppo and Tinker’s losses', () => {
    for (const loss of ['grpo', 'ppo', 'importance_sampling', 'cispo', 'dro', 'reinforce'] as const)
      for (const lossReduction of ['auto', 'sum', 'sequence_sum', 'sequence_mean', 'max_length'] as const)
        expect(errorsOf({ loss, lossReduction })).toEqual([]);
  });
});
