import { describe, expect, it } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { answersPerUpdate, loraAdvice, rateText, squareRootAdvice } from './learningRateAdvice.ts';

const FORM = defaultConfig('sum_digits');

describe('the √batch rule on the form', () => {
  it('starts from the preset’s rate and batch, so that asking twice changes nothing', () => {
    const batch = FORM.problemsPerStep * FORM.rolloutsPerProblem;
    const form = { ...FORM, problemsPerStep: 4 * FORM.problemsPerStep };
    const advice = squareRootAdvice(form);
    expect(advice.rate).toBeCloseTo(2 * FORM.learningRate, 12);
    expect(advice.sums).toContain(`√(${4 * batch} / ${batch})`);
    expect(squareRootAdvice({ ...form, learningRate: advice.rate ?? NaN })).toEqual(advice);
  });

  it('counts the answers of one update', () => {
    expect(answersPerUpdate({ ...FORM, numSubsteps: 4 })).toBe(answersPerUpdate(FORM) / 4);
    expect(answersPerUpdate({ ...FORM, miniBatchSize: 8, ppoEpochs: 3, gradientAccumulation: 2 })).toBe(16);
    expect(answersPerUpdate({ ...FORM, ppoEpochs: 4 })).toBe(answersPerUpdate(FORM));
  });

  it('has no answer without a batch', () => {
    expect(squareRootAdvice({ ...FORM, problemsPerStep: 0 }).rate).toBeNull();
  });
});

describe('the LoRA rule on the form', () => {
  const model = {
    modelName: 'starter',
    modelShape: { hiddenSize: 2000, modelType: 'qwen3' },
    parameterCount: 4e5,
    modelIsOurs: true,
  } as const;

  it('uses the factor 10 with LoRA alone', () => {
    expect(loraAdvice({ ...FORM, loraRank: 8 }, model).rate).toBeCloseTo(5e-4, 15);
    expect(loraAdvice({ ...FORM, loraRank: 64 }, model).rate).toBeCloseTo(5e-4, 15);
    expect(loraAdvice({ ...FORM, loraRank: 0 }, model).rate).toBeCloseTo(5e-5, 15);
  });

  it('says where it goes beyond what it was fitted on', () => {
    expect(loraAdvice(FORM, model).sums).toContain('extrapolation');
    expect(loraAdvice(FORM, { ...model, parameterCount: 8e9 }).sums).not.toContain('extrapolation');
  });

  it('says that another model is on its way', () => {
    const other = { ...FORM, model: 'starter-logic' };
    expect(loraAdvice(other, model).sums).toContain('starts with starter-logic');
    expect(loraAdvice(other, { ...model, modelIsOurs: false }).sums).not.toContain('starter-logic');
  });

  it('needs a model', () => {
    expect(loraAdvice(FORM, { ...model, modelName: null, modelShape: null }).rate).toBeNull();
  });
});

describe('rateText', () => {
  it('is short and has a true minus', () => {
    expect(rateText(3e-4)).toBe('0.0003');
    expect(rateText(5e-5)).toBe('5e−5');
    expect(rateText(0.00567)).toBe('0.00567');
  });
});
