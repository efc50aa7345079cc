import { describe, expect, it } from 'vitest';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
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

  it('is read as earlier versions wrote it, with accuracy as a share', () => {
    expect(evalResultFromJson(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  it('is refused with the first field that does not fit', () => {
    expect(() => evalResultFromJson({ ...evalFileJson(result), temperature: 'warm' })).toThrow(
      /^temperature: /,
    );
    expect(() => evalResultFromJson({ ...result, samples: [{}] })).toThrow(/^samples\.0\.task: /);
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
