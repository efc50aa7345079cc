import { describe, expect, it } from 'vitest';
import { wilson95 } from '@rl-playground/base/intervals';
import type { EvalResult } from '../loop/evaluate.ts';
import { evalFileJson, evalFiles, evalResultFromJson, sortedEvalFiles } from './evalFiles.ts';

const result: EvalResult = {
  step: 40,
  accuracy: 1 / 3,
  format: 2 / 3,
  n: 3,
  tasks: [{ task: 'a', reward: 0.25, accuracy: 1 / 3, format: 2 / 3, n: 3, level: null }],
  temperature: 0.7,
  seconds: 1.5,
  samples: [
    { task: 'a', question: '1+1', answer: '2', text: '= 2', extracted: '2', correct: true, format: true },
    { task: 'a', question: '1+2', answer: '3', text: '?', extracted: null, correct: false, format: false },
    { task: 'a', question: '1+3', answer: '4', text: '= 5', extracted: '5', correct: false, format: true },
  ],
};

/** The same with its greedy answers, and 3, 0 and 1 right ones of four draws. */
const whole: EvalResult = {
  ...result,
  greedy: { accuracy: 2 / 3, format: 1 },
  passAtK: { k: 4, accuracy: 2 / 3 },
  samples: result.samples.map((sample, i) => ({
    ...sample,
    greedy: { correct: i !== 1, format: true },
    correctDraws: [3, 0, 1][i] ?? 0,
  })),
};

describe('the file of an evaluation', () => {
  it('has RL for Real’s fields, rates in percent', () => {
    const json = evalFileJson(result);
    expect(json).toMatchObject({ step: 40, num_correct: 1, num_samples: 3, correct: 1 / 3, format: 2 / 3 });
    expect(json.accuracy).toBeCloseTo(33.3333333, 6);
    expect(json.format_score).toBeCloseTo(66.6666667, 6);
    expect(json.examples[1]).toEqual({
      task: 'a',
      question: '1+2',
      ground_truth: '3',
      generated: '?',
      extracted: null,
      correct: false,
      format_score: 0,
    });
  });

  it('comes back to the bit', () => {
    expect(evalResultFromJson(JSON.parse(JSON.stringify(evalFileJson(result))))).toEqual(result);
  });

  it('has the mean share of the tags for a format score where upstream scores the form so', () => {
    const shares = [1, 0.5, 0.75];
    const samples = result.samples.map((sample, i) => ({
      ...sample,
      format: i === 0,
      formatScore: shares[i] ?? 0,
    }));
    const upstream = { ...result, format: 1 / 3, formatScore: 0.75, samples };
    const json = evalFileJson(upstream);
    expect(json).toMatchObject({ format_score: 75, format: 1 / 3 });
    expect(json.examples.map(({ format_score }) => format_score)).toEqual([100, 50, 75]);
    expect(evalResultFromJson(JSON.parse(JSON.stringify(json)))).toEqual(upstream);
  });

  it('comes back with the working of its answers', () => {
    const samples = result.samples.map((sample, i) => ({ ...sample, working: i / 2 }));
    const json = evalFileJson({ ...result, samples });
    expect(json.examples.map(({ working }) => working)).toEqual([0, 0.5, 1]);
    expect(evalResultFromJson(JSON.parse(JSON.stringify(json)))).toEqual({ ...result, samples });
  });

  it('comes back with the levels of its tasks', () => {
    const levels = [
      { task: 'a', level: 1, accuracy: 1, format: 1, n: 4 },
      { task: 'a', level: 2, accuracy: 0.25, format: 0.5, n: 4 },
    ];
    const json = evalFileJson({ ...result, levels });
    expect(json.levels).toEqual(levels);
    expect(evalResultFromJson(JSON.parse(JSON.stringify(json)))).toEqual({ ...result, levels });
    expect(() => evalResultFromJson({ ...json, levels: [{ ...levels[0], level: 0 }] })).toThrow(
      'levels.0.level',
    );
  });

  it('comes back with greedy answers and draws, and says their intervals', () => {
    const json = evalFileJson(whole);
    expect(evalResultFromJson(JSON.parse(JSON.stringify(json)))).toEqual(whole);
    const interval = wilson95(2 / 3, 3);
    const range = [interval?.low, interval?.high];
    expect(json.greedy).toEqual({ correct: 2 / 3, format: 1, interval: range });
    expect(json.pass_at_k).toMatchObject({ k: 4, correct: 2 / 3, interval: range });
    // pass@2 of 3, 0 and 1 right of 4: 1, 0 and 1 − C(3, 2)/C(4, 2).
    expect(json.pass_at_k?.curve?.map(({ k }) => k)).toEqual([1, 2, 3, 4]);
    expect(json.pass_at_k?.curve?.[1]?.correct).toBeCloseTo(1.5 / 3, 12);
    expect(json.examples[0]).toMatchObject({ greedy: { correct: true, format: true }, correct_draws: 3 });
  });

  it('with more right draws than draws, or more draws than there may be, is refused', () => {
    const json = evalFileJson(whole);
    const [first, ...others] = json.examples;
    expect(() =>
      evalResultFromJson({ ...json, examples: [...others, { ...first, correct_draws: 5 }] }),
    ).toThrow('examples.2.correct_draws: 5 of 4 draws');
    expect(() => evalResultFromJson({ ...json, pass_at_k: { k: 1e9, correct: 1 } })).toThrow(
      /^pass_at_k\.k: /,
    );
  });

  it('is refused with the first field that does not fit', () => {
    expect(() => evalResultFromJson({ ...evalFileJson(result), temperature: 'warm' })).toThrow(
      /^temperature: /,
    );
    expect(() => evalResultFromJson({ ...evalFileJson(result), examples: [{}] })).toThrow(
      /^examples\.0\.task: /,
    );
    expect(() => evalResultFromJson(null)).toThrow(/object/);
  });

  it('is named by its step, a second one of a step by its turn, and found in that order', () => {
    const files = evalFiles([
      { ...result, step: 0 },
      { ...result, step: 9 },
      { ...result, step: 10 },
      { ...result, step: 9 },
    ]);
    const names = [...files.keys()];
    expect(names[3]).toBe('eval_results/eval_step_9_2.json');
    expect(sortedEvalFiles([...names, 'config.json'].toReversed())).toEqual([
      'eval_results/eval_step_0.json',
      'eval_results/eval_step_9.json',
      'eval_results/eval_step_9_2.json',
      'eval_results/eval_step_10.json',
    ]);
  });
});
