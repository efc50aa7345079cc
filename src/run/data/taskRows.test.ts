import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import { findTask } from '@rl-playground/tasks/parts';
import { modelProblem } from '../models/namedModels.ts';
import { provideRows, rowsProblem, taskRowsOf, tasksOfRows } from './taskRows.ts';

const config = defaultConfig('gsm8k');
const rows = Array.from({ length: 40 }, (_, i) => ({ question: `What is ${i}?`, answer: `#### ${i}` }));
const origin = { source: 'rows.jsonl', commit: null, sha256: '0'.repeat(64) };

describe('rows and the tasks that ask them', () => {
  it('are missing until they are provided, and go with the run', () => {
    expect(rowsProblem(defaultConfig('sum_digits'))).toBeNull();
    expect(rowsProblem(config)).toMatchObject({ title: 'The rows of GSM8K are missing' });
    expect(taskRowsOf(config)).toEqual({});
    const given = { task: 'gsm8k', train: rows.slice(0, 30), test: rows.slice(30), origin };
    provideRows([given]);
    expect(rowsProblem(config)).toBeNull();
    expect(taskRowsOf(config)).toEqual({ taskRows: [given] });
    expect(findTask('gsm8k')?.dataset?.counts()).toEqual({ train: 30, eval: 10 });
    // What a checkpoint brings takes the place of other rows.
    provideRows([{ ...given, test: rows.slice(20, 25), train: rows.slice(0, 10) }]);
    expect(findTask('gsm8k')?.dataset?.counts()).toEqual({ train: 10, eval: 5 });
    expect(() => provideRows([{ ...given, task: 'sum_digits' }])).toThrow('uses no rows');
  });

  it('are of tasks alone and in mixtures, of the user\u2019s own too', () => {
    const mixture = ['sum_digits', 'gsm8k', 'own:mine'].map((task) => ({ task, weight: 1, config: {} }));
    const mixed = { ...config, task: 'mixture', mixture };
    expect(tasksOfRows(mixed)).toEqual(['gsm8k', 'own:mine']);
    expect(rowsProblem({ ...mixed, mixture: mixture.slice(2) })?.title).toBe('The task own:mine is not here');
  });

  it('need a model that reads', () => {
    expect(modelProblem(config)?.title).toBe('The model "starter" is too small for the task');
    expect(modelProblem(defaultConfig('sum_digits'))).toBeNull();
  });
});
