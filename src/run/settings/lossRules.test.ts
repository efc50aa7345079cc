/** Rules on the losses, corrections and references that came with TRL's: what breaks each, and its neighbour that holds. */
import { expect, test } from 'vitest';
import { parseConfig } from './check.ts';
import { hasMeaning } from './meaning.ts';
import { defaultConfig } from './presets/presets.ts';
import type { FieldKey, RunConfig } from './schema/schema.ts';

type Change = Partial<RunConfig>;

const BASE = defaultConfig('reverse_digits');

function errorsOf(...changes: readonly Change[]): readonly string[] {
  const parsed = parseConfig(Object.assign({}, BASE, ...changes));
  return parsed.ok ? [] : parsed.errors;
}

const TRAINER: Change = { oldLogprobs: 'trainer' };
const STREAM: Change = { schedule: 'stream', numMinibatches: 4 };

test.each<[around: Change, broken: Change, good: Change, words: string]>([
  [{}, { importanceFloor: 0.5 }, { ...TRAINER, importanceFloor: 0.5 }, 'set oldLogprobs to "trainer"'],
  [
    { ...TRAINER, importanceCap: 2 },
    { importanceFloor: 2 },
    { importanceFloor: 1.9 },
    'importanceFloor: 2 is not below importanceCap, 2',
  ],
  [
    { ...TRAINER, loss: 'vespo', lossReduction: 'auto', importanceCap: 2 },
    { importanceMode: 'sequence_mask' },
    { importanceMode: 'token_mask' },
    '"sequence_mask" does not go with loss "vespo"',
  ],
  [
    { rewardAggregation: 'normalize_then_sum' },
    { baseline: 'leave_one_out' },
    { baseline: 'group' },
    'set baseline to "group"',
  ],
  [
    { klReference: 'past', klReferenceMixup: 0.6 },
    { loraRank: 4 },
    { loraRank: 0 },
    'klReferenceMixup: 0.6 mixes the weights',
  ],
  [
    { klBeta: 0.1, klBiasCorrection: true },
    { klEstimator: 'k2' },
    { klEstimator: 'k3' },
    'set klEstimator to',
  ],
  [STREAM, { rewardAggregation: 'normalize_then_sum' }, {}, 'does not go with schedule "stream"'],
  [STREAM, { entropyCoef: 0.1 }, { topEntropyQuantile: 0.2 }, 'entropyCoef: 0.1 does not go'],
  [
    { ...STREAM, numSubsteps: 2, loss: 'dapo' },
    { lossReduction: 'auto' },
    { lossReduction: 'token_mean' },
    'choose "token_mean", or numSubsteps 1',
  ],
  [{ loss: 'sapo' }, { baseline: 'none' }, { baseline: 'group' }, '"none" does not go with loss "sapo"'],
  [
    { loss: 'vespo' },
    { ratioLevel: 'sequence' },
    { ratioLevel: 'token' },
    'or a loss of: grpo, importance_sampling, ppo, cispo, ',
  ],
  [{ klPenaltyCoef: 0.1 }, { minP: 0.1 }, { minP: 0 }, 'minP 0.1'],
  [{ klPenaltyCoef: 0.1 }, { repetitionPenalty: 1.2 }, { repetitionPenalty: 1 }, 'repetitionPenalty 1.2'],
])('around %j: not %j but %j', (around, broken, good, words) => {
  const errors = errorsOf(around, broken);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(words);
  expect(errorsOf(around, good)).toEqual([]);
});

test.each<[key: FieldKey, idle: Change, acts: Change]>([
  ['sapoTemperaturePositive', {}, { loss: 'sapo' }],
  ['vespoKNegative', { loss: 'sapo' }, { loss: 'vespo' }],
  ['ratioLevel', { loss: 'vespo' }, { loss: 'cispo' }],
  ['importanceFloor', {}, TRAINER],
  ['importanceMode', TRAINER, { ...TRAINER, importanceCap: 2 }],
  ['klBiasCorrection', {}, { klBeta: 0.1 }],
  ['klReferenceMixup', {}, { klReference: 'past' }],
  ['advantageScale', { rewardAggregation: 'normalize_then_sum' }, {}],
  ['rewardAggregation', { baseline: 'none', loss: 'reinforce' }, {}],
  ['entropyCoef', STREAM, {}],
])('%s decides nothing under %j, and something under %j', (key, idle, acts) => {
  expect(hasMeaning({ ...BASE, ...idle }, key)).toBe(false);
  expect(hasMeaning({ ...BASE, ...acts }, key)).toBe(true);
});
