import { describe, expect, it, test } from 'vitest';
import { parseConfig } from '../check.ts';
import { defaultConfig, PRESETS, presetSummary, presetTask, replacements } from './presets.ts';
import { BEYOND_TASKS } from './beyond.ts';
import { updatesPerBatch } from '../schema/schema.ts';
import { PRESET_NAMES, type PresetName } from '../schema/model.ts';

const SYSTEMS = PRESET_NAMES.filter((name) => PRESETS[name].original !== null);

/** The config of a preset for the task that it starts with. */
function own(preset: PresetName) {
  return defaultConfig(PRESETS[preset].task ?? 'sum_digits', preset);
}

test('the presets of a mismatch are the recommended settings but for the noise, and its cure', () => {
  for (const task of ['reverse_digits', 'chain_sum']) {
    const noise = { samplerNoise: 1.5, clipLow: 0.02, clipHigh: 0.02 };
    const noisy = { ...defaultConfig(task), preset: 'sampler-mismatch', ...noise };
    expect(defaultConfig(task, 'sampler-mismatch')).toEqual(noisy);
    expect(defaultConfig(task, 'sampler-mismatch-cured')).toEqual({
      ...noisy,
      preset: 'sampler-mismatch-cured',
      oldLogprobs: 'trainer',
      importanceCap: 2,
    });
  }
});

test('the preset beyond demonstrations is valid for each of its tasks, and the recommended settings for other tasks', () => {
  for (const task of BEYOND_TASKS)
    expect(parseConfig(defaultConfig(task, 'beyond-demonstrations'))).toMatchObject({ ok: true });
  expect(defaultConfig('gcd', 'beyond-demonstrations')).toEqual({
    ...defaultConfig('gcd'),
    preset: 'beyond-demonstrations',
  });
});

describe('presets of other systems', () => {
  // What a system leaves unsaid follows the default; one that changes must not change what is repeated.
  const SHARED = {
    clipDelta: 0,
    ratioLevel: 'token',
    importanceCap: 0,
    importanceFloor: 0,
    importanceMode: 'token_truncate',
    offPolicyThreshold: 0,
    topEntropyQuantile: 1,
    entropyCoef: 0,
    sapoTemperaturePositive: 1,
    sapoTemperatureNegative: 1.05,
    vespoKPositive: 2,
    vespoLambdaPositive: 3,
    vespoKNegative: 3,
    vespoLambdaNegative: 2,
    droBeta: 0.05,
    maskTruncated: false,
    movingBaselineStart: 0.5,
    movingBaselineDecay: 0.9,
    rewardAggregation: 'sum_then_normalize',
    removeConstantGroups: false,
    gaeGamma: 1,
    gaeLambda: 0.95,
    valueCoef: 0.1,
    valueClip: 0.2,
    valueRate: 1,
    topK: 0,
    minP: 0,
    repetitionPenalty: 1,
    numGenerators: 2,
    generatorPrecision: 'f32',
    samplerNoise: 0,
    levelSamples: 0,
    generatorAdapter: 'beside',
    generatorProducts: 'exact',
    cachePrecision: 'f32',
    generatorPlacement: 'worker',
    adamBeta1: 0.9,
    adamEps: 1e-8,
    // Sampling and training take turns.
    schedule: 'sync',
    numMinibatches: 4,
    maxStepsOffPolicy: 3,
    // Nothing holds the policy to a reference.
    klReference: 'start',
    klReferenceEvery: 64,
    klReferenceMixup: 1,
    klBeta: 0,
    klEstimator: 'k3',
    klBiasCorrection: false,
    klMeasuredShare: 1,
    klPenaltyCoef: 0,
    klDiscountFactor: 0,
    targetKl: 0,
    computePostKl: false,
    // Evaluations ask held-out problems of the tasks that are trained on.
    evalMixture: [],
    // Measured here whatever the system measures; it changes no update.
    passAtK: 8,
    lrSchedule: 'constant',
  };

  it.each(SYSTEMS)('%s has the values that all of these systems share', (preset) => {
    const { removeConstantGroups: _, targetKl: __, ...shared } = SHARED;
    for (const task of ['sum_digits', 'rpn_arithmetic', 'chain_sum', 'syllogism', 'tinker_arithmetic'])
      expect(defaultConfig(task, preset)).toMatchObject(shared);
  });

  it('makes one update a step, and trains all weights, but for RLVR and Tinker', () => {
    const once = {
      numSubsteps: 1,
      ppoEpochs: 1,
      miniBatchSize: 0,
      gradientAccumulation: 1,
      microBatchTokens: 2048,
    };
    const layers = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];
    const whole = { loraRank: 0, loraAlpha: 32, loraTargets: layers };
    for (const preset of SYSTEMS) {
      if (!preset.startsWith('rlvr')) expect(own(preset)).toMatchObject(once);
      else expect(own(preset)).toMatchObject({ numSubsteps: 1, microBatchTokens: 2048 });
      if (!preset.startsWith('tinker')) expect(own(preset)).toMatchObject(whole);
    }
  });

  it.each(SYSTEMS)('%s leaves the switches of the others off', (preset) => {
    const { removeConstantGroups, targetKl } = own(preset);
    expect(removeConstantGroups).toBe(preset === 'tinker-rl-loop');
    expect(targetKl).toBe(preset === 'rlvr-large' ? 0.05 : 0);
  });

  it.each(SYSTEMS)('%s is valid and says where it differs and what it replaces', (preset) => {
    expect(parseConfig(own(preset))).toMatchObject({ ok: true });
    expect(PRESETS[preset].differences.length).toBeGreaterThan(3);
    for (const difference of PRESETS[preset].differences) expect(difference).toMatch(/^[A-Z].*\.$/);
    const [model = ''] = replacements(own(preset));
    expect(model).toBe(`Model: ${own(preset).model} instead of ${PRESETS[preset].original?.model ?? ''}.`);
  });

  it('name the task that stands in for another one', () => {
    expect(replacements(own('tinker-rl-basic'))[1]).toBe('Task: tinker_arithmetic instead of GSM8K.');
    expect(replacements(defaultConfig('gsm8k', 'tinker-rl-basic'))).toHaveLength(1);
    expect(replacements(own('rl-for-real-grpo'))).toHaveLength(1);
    expect(presetTask('monarch-digits', true)).toBeUndefined();
    expect(replacements(defaultConfig('sum_digits', 'default'))).toEqual([]);
  });

  // The Tinker cookbook's Config and train_step: sums, ratio bounds, centred advantages, Adam without decay or clipping.
  it('repeat the Tinker cookbook', () => {
    const shared = {
      task: 'tinker_arithmetic',
      model: 'starter-arithmetic',
      loss: 'importance_sampling',
      lossReduction: 'sum',
      clipMeaning: 'ratio_bounds',
      clipLow: 0.8,
      clipHigh: 1.2,
      oldLogprobs: 'sampler',
      baseline: 'group',
      advantageScale: 'none',
      problemsPerStep: 128,
      rolloutsPerProblem: 16,
      temperature: 1,
      topP: 1,
      topK: 0,
      maxTokens: 256,
      learningRate: 4e-5,
      lrSchedule: 'constant',
      warmupSteps: 0,
      adamBeta1: 0.9,
      adamBeta2: 0.95,
      adamEps: 1e-8,
      weightDecay: 0,
      clipNorm: 0,
      loraRank: 32,
      loraAlpha: 32,
      loraTargets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj', 'lm_head'],
      evalTemperature: 1,
    };
    expect(own('tinker-rl-basic')).toMatchObject({
      ...shared,
      taskConfig: { format_weight: 0.1 },
      removeConstantGroups: false,
      // 7,473 rows in batches of 128, the last one partly filled.
      numSteps: 59,
    });
    expect(own('tinker-rl-loop')).toMatchObject({
      ...shared,
      taskConfig: { format_weight: 0 },
      removeConstantGroups: true,
      numSteps: 58,
    });
  });

  it('repeat RL for Real’s first settings', () => {
    expect(own('rl-for-real-grpo')).toMatchObject({
      task: 'syllogism',
      taskConfig: {
        allow_all: true,
        allow_no: true,
        allow_some: false,
        allow_some_not: false,
        invalid_ratio: 0.3,
        format_weight: 1,
        developer_prompt: 'think',
      },
      model: 'starter-logic',
      scoring: 'upstream',
      loss: 'dapo',
      lossReduction: 'token_mean',
      clipMeaning: 'epsilon',
      clipLow: 0.2,
      clipHigh: 0.2,
      oldLogprobs: 'trainer',
      advantageScale: 'group',
      klBeta: 0,
      problemsPerStep: 2,
      rolloutsPerProblem: 4,
      temperature: 0.6,
      learningRate: 1e-6,
      lrSchedule: 'constant',
      warmupSteps: 15,
      adamBeta2: 0.999,
      weightDecay: 0,
      clipNorm: 1,
      numSteps: 150,
      evalSamples: 30,
      evalEvery: 50,
      evalTemperature: 0.7,
      seed: 42,
    });
  });

  // batch / mini-batch / accumulation / passes of the three files: 8/4/1 × 4, 16/8/2 × 4, 4/2/1 × 2.
  it('repeat the updates of the RLVR files, and stop early only where they say so', () => {
    const updates = (['rlvr-small', 'rlvr-large', 'rlvr-test'] as const).map((preset) => {
      const config = own(preset);
      const { loss, lossReduction, clipLow, clipHigh, baseline, valueCoef, valueClip } = config;
      expect({ loss, lossReduction, clipLow, clipHigh, baseline, valueCoef, valueClip }).toEqual({
        loss: 'ppo',
        lossReduction: 'sequence_sum',
        clipLow: 0.2,
        clipHigh: 0.2,
        baseline: 'value',
        valueCoef: 0.1,
        valueClip: 0.2,
      });
      return [
        config.miniBatchSize,
        config.gradientAccumulation,
        config.ppoEpochs,
        updatesPerBatch(config),
        config.targetKl,
      ];
    });
    expect(updates).toEqual([
      [4, 1, 4, 8, 0],
      [8, 2, 4, 4, 0.05],
      [2, 1, 2, 4, 0],
    ]);
  });
});

describe('the recommended settings', () => {
  it('are the tuned ones: GRPO over all tokens, centred within groups', () => {
    expect(defaultConfig('reverse_digits')).toMatchObject({
      loss: 'grpo',
      lossReduction: 'token_mean',
      clipMeaning: 'epsilon',
      clipLow: 0.2,
      clipHigh: 0.2,
      baseline: 'group',
      advantageScale: 'none',
      schedule: 'sync',
      ppoEpochs: 1,
      numSubsteps: 1,
      loraRank: 0,
    });
  });
});

test('the recommended settings are described by their own numbers', () => {
  expect(presetSummary('default', 'instructions')).toBe(
    'GRPO with groups of 8 answers to 4 problems per step.',
  );
  expect(presetSummary('default', 'sum_digits')).toBe(
    'GRPO with groups of 8 answers to 24 problems per step.',
  );
  expect(presetSummary('monarch-digits', 'reverse_digits')).toBe(PRESETS['monarch-digits'].summary);
});
