import { expect, it } from 'vitest';
import type { EvalResult, EvalSample } from '@rl-playground/run/loop';
import { EMPTY_SNAPSHOT } from '@rl-playground/run/session';
import { defaultConfig } from '@rl-playground/run/settings';
import { metricsOf } from '@rl-playground/run/metrics';
import { resultSvg } from './resultPicture.ts';

const sample = (text: string, correct: boolean): EvalSample => ({
  task: 'reverse_digits',
  question: 'reverse <12>',
  answer: '21',
  text,
  extracted: text,
  correct,
  format: true,
});

function evaluation(step: number, right: number): EvalResult {
  return {
    step,
    accuracy: 0.1,
    format: 1,
    n: 40,
    tasks: [],
    temperature: 1,
    greedy: { accuracy: right / 40, format: 1 },
    seconds: 1,
    samples: [sample(step === 0 ? '12' : '21', step > 0)],
  };
}

it('says the greedy accuracy at both ends, of how many problems, and draws a point for each step; text stays text', () => {
  const metrics = [0.25, 0.75].map((accuracy, i) =>
    metricsOf(i + 1, [], [], ({ key, optional }) => (key === 'accuracy' ? accuracy : optional ? null : NaN)),
  );
  const [before, after] = [evaluation(0, 10), evaluation(2, 33)];
  const config = defaultConfig('reverse_digits');
  const snapshot = {
    ...EMPTY_SNAPSHOT,
    config,
    metrics,
    totalSteps: 2,
    wallSeconds: 65,
    modelName: 'starter',
  };
  const pair = { before: sample('12', false), after: sample('21', true) };
  const svg = resultSvg(snapshot, { before, after }, pair);
  expect(svg).toContain('25.0% → 82.5%');
  expect(svg).toContain('greedy accuracy');
  expect(svg).toContain('on 40 held-out problems');
  expect(svg).toContain('2 steps in 1:05');
  // The plot is 250 high from 170 on: a quarter right is three quarters down, three quarters right one down.
  expect(svg).toContain('points="640.0,357.5 1140.0,232.5"');
  expect(svg).toContain('✗ 12');
  expect(svg).toContain('✓ 21');
  expect(svg).not.toContain('<12>');
  expect(svg).toContain('reverse &#60;12&#62;');
});
