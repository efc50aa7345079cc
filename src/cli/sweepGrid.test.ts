import { describe, expect, test } from 'vitest';
import { BadInput } from '@rl-playground/base/errors';
import { planOf } from './sweepGrid.ts';

describe('a grid', () => {
  test('is every combination for every task and seed, in the order in which it is written', () => {
    const { axes, runs } = planOf(`
tasks: [sum_digits, reverse_digits]
seeds: 3-4
base: { num_steps: 7 }
grid:
  learning_rate: [1e-4, 1e-3]
  rolloutsPerProblem: [4, 8, 16]
`);
    expect(axes).toEqual(['learningRate', 'rolloutsPerProblem']);
    expect(runs).toHaveLength(24);
    expect(runs.slice(0, 3).map(({ name }) => name)).toEqual([
      'sum_digits-c1-seed3',
      'sum_digits-c1-seed4',
      'sum_digits-c2-seed3',
    ]);
    expect(new Set(runs.map(({ name }) => name)).size).toBe(24);
    expect(runs[23]).toMatchObject({
      name: 'reverse_digits-c6-seed4',
      settings: { learningRate: 1e-3, rolloutsPerProblem: 16 },
      config: { task: 'reverse_digits', seed: 4, numSteps: 7, learningRate: 1e-3, rolloutsPerProblem: 16 },
    });
  });

  test('without a grid is one setting', () => {
    const { axes, runs } = planOf('{ tasks: gcd, seeds: [5, 1] }');
    expect(axes).toEqual([]);
    expect(runs.map(({ name, settings }) => [name, settings])).toEqual([
      ['gcd-seed5', {}],
      ['gcd-seed1', {}],
    ]);
  });

  test.each([
    ['tasks: [sum_digitz]\nseeds: 0', /sum_digitz/],
    ['tasks: [sum_digits]\nseeds: x', /seeds: "x" are no seeds; write 0-3/],
    ['tasks: [sum_digits]\nseeds: 0\ngrid: { learningrate: [1] }', /learningrate.*did you mean/],
    ['tasks: [sum_digits]\nseeds: 0\ngrid: { learningRate: 1 }', /line 3: grid\.learningRate/],
    ['tasks: [sum_digits]\nseeds: 0\ngrid: { learningRate: [1e-3, 0.001] }', /a value is there twice/],
    ['tasks: [sum_digits]\nseeds: 0\ngrid: { learningRate: [1e-3, 5000] }', /sum_digits with .*5000/],
    ['tasks: [sum_digits]\nseeds: 0\nbase: { learningRate: 1 }\ngrid: { lr: [1] }', /lr/],
    [
      'tasks: [sum_digits]\nseeds: 0\nbase: { learningRate: 1e-3 }\ngrid: { learning_rate: [1e-3] }',
      /in base and in grid/,
    ],
    ['tasks: [sum_digits]\nseeds: 0\ngrid: { seed: [1, 2] }', /list them under seeds/],
    ['tasks: [sum_digits]\nseeds: 0-9999\ngrid: { learningRate: [1e-3, 1e-4] }', /20000 runs are too many/],
    ['tasks: [sum_digits]\nseeds: 0\ngird: {}', /gird/],
  ])('%j is refused', (text, message) => {
    expect(() => planOf(text)).toThrow(message);
    expect(() => planOf(text)).toThrow(BadInput);
  });
});
