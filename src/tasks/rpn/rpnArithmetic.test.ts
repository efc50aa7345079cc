import { describe, expect, it } from 'vitest';
import { taskConfigErrors } from '../define/define.ts';
import { drawsFor, uniformInt } from '@rl-playground/base/random';
import { everyProof } from '@rl-playground/base/testing/proofs';
import type { Completion, TaskConfig } from '../define/types.ts';
import { BOXED_RATE, rpnArithmetic } from './rpnArithmetic.ts';

const configOf = (change: TaskConfig = {}): TaskConfig => ({ ...rpnArithmetic.defaults, ...change });
const MIXED = configOf({ p: 7, operators: ['-', '*', '+'], max_complexity: 5 });
const ended = (text: string): Completion => ({ text, tokens: [], stopReason: 'eos' });

describe('rpn_arithmetic', () => {
  const problems = Array.from({ length: 1000 }, (_, index) =>
    rpnArithmetic.generate(4, index % 5 === 0 ? 'eval' : 'train', index, MIXED),
  );

  it('gives its own answers full marks in both modes', () => {
    for (const problem of problems) {
      for (const mode of ['strict', 'upstream'] as const) {
        const reward = rpnArithmetic.score(problem, ended(rpnArithmetic.workedAnswer(problem)), {
          mode,
          config: MIXED,
        });
        expect(reward).toMatchObject({ total: 1, correct: true, format: true, extracted: problem.answer });
      }
    }
  });

  it('asks for expressions of every complexity, without an equals sign', () => {
    const operators = problems.map(({ compact }) => (compact.match(/[-+*]/g) ?? []).length);
    const counts = [1, 2, 3, 4, 5].map((k) => operators.filter((count) => count === k).length);
    // Four standard deviations of a fifth of 1000 are 51.
    for (const count of counts) expect(Math.abs(count - 200)).toBeLessThan(51);
    for (const { compact } of problems) expect(compact).toMatch(/^<boe> [0-6]( [0-6]| [-+*])+$/);
  });

  it('makes right demonstrations, in the form at the stated rate', () => {
    const demonstrations = problems.map((problem, index) => {
      const text = rpnArithmetic.demonstration(problem, drawsFor(9, index));
      return rpnArithmetic.score(problem, ended(text), { mode: 'strict', config: MIXED });
    });
    const share = (test: (reward: (typeof demonstrations)[number]) => boolean) =>
      demonstrations.filter(test).length / demonstrations.length;
    // Four standard deviations in 1000 draws are at most 0.063.
    expect(Math.abs(share(({ format }) => format) - BOXED_RATE)).toBeLessThan(0.063);
    // Without the form nothing counts as an answer.
    expect(share(({ correct }) => correct)).toBe(share(({ format }) => format));
  });

  it('says which settings can not be', () => {
    expect(taskConfigErrors(rpnArithmetic, { min_complexity: 4 })[0]).toContain(
      'more than max_complexity, 3',
    );
    expect(taskConfigErrors(rpnArithmetic, { constructor: 3 })[0]).toContain('has no such setting');
    expect(taskConfigErrors(rpnArithmetic, { boxed_weight: 0, correct_weight: 0 })[0]).toContain(
      'more than 0',
    );
    expect(taskConfigErrors(rpnArithmetic, { operators: ['/'] })[0]).toContain('"/"');
    expect(taskConfigErrors(rpnArithmetic, { p: 113, operators: ['+', '-'], max_complexity: 5 })).toEqual([]);
  });

  it('counts its problems where they are few', () => {
    expect(rpnArithmetic.space(configOf({ max_complexity: 1 }))).toBe(169);
    expect(rpnArithmetic.space(configOf({ p: 3, operators: ['+', '*'], max_complexity: 2 }))).toBe(
      9 * 2 + 27 * 4 * 2,
    );
    expect(rpnArithmetic.space(configOf())).toBeNull();
  });

  it('scores random completions and huge ones without an error or a long wait', () => {
    const [problem] = problems;
    if (problem === undefined) throw new Error('No problem was drawn.');
    const pieces = [
      '=',
      '<eoe>',
      '<boe>',
      '<pad>',
      '3',
      '12',
      '+',
      '*',
      ' ',
      '\n',
      '𝟙',
      '<',
      '999',
      '__proto__',
    ];
    const settings = { mode: 'strict', config: MIXED } as const;
    const score = (text: string) => {
      for (const mode of ['strict', 'upstream'] as const) {
        const { total } = rpnArithmetic.score(problem, ended(text), { ...settings, mode });
        expect([0, 0.3, 1]).toContain(total);
      }
    };
    for (let index = 0; index < (everyProof ? 20_000 : 4000); index++) {
      const draw = drawsFor(77, index);
      const length = uniformInt(draw, 0, 30);
      score(Array.from({ length }, () => pieces[uniformInt(draw, 0, pieces.length - 1)]).join(''));
    }
    for (const piece of pieces) score(`${piece} `.repeat(100_000));
  });
});
