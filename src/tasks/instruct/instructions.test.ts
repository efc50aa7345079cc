import { describe, expect, it } from 'vitest';
import { findTask } from '../allTasks.ts';
import { taskConfigErrors } from '../define/define.ts';
import type { Problem, Split, TaskConfig } from '../define/types.ts';
import { formatFollow } from './formatFollow.ts';
import { instructions } from './instructions.ts';
import { KIND_NAMES, kindOf, type NamedConstraint } from './kinds.ts';
import { lastNumber, numberWords, singleDigitSums } from './singleDigitSums.ts';

const score = (problem: Problem, text: string, changes: TaskConfig = {}) => {
  const task = findTask(problem.task);
  if (task === null) throw new Error(`There is no task ${problem.task}.`);
  const config = { ...task.defaults, ...changes };
  return task.score(problem, { text, tokens: [], stopReason: 'eos' }, { mode: 'strict', config });
};

const constraintsOf = ({ data }: Problem): readonly NamedConstraint[] =>
  (data as { constraints: readonly NamedConstraint[] }).constraints;

/** A problem with these constraints, and no matter what it asks. */
function asked(...constraints: NamedConstraint[]): Problem {
  const problem = instructions.generate(0, 'train', 0, instructions.defaults);
  return { ...problem, data: { constraints } };
}

const atMost = (count: number): NamedConstraint => ({
  kind: 'number_words',
  relation: 'at most',
  count,
  words: [],
});
const question: NamedConstraint = { kind: 'question_end', relation: 'exactly', count: 0, words: [] };

describe('instructions', () => {
  it('ask for what an answer can meet, at every level, of different families', () => {
    for (const [level, changes] of instructions.levels.entries()) {
      const config = { ...instructions.defaults, ...changes };
      const seen = new Set<string>();
      for (let i = 0; i < 1000; i++) {
        const problem = instructions.generate(level, i % 2 === 0 ? 'train' : 'eval', i, config);
        const constraints = constraintsOf(problem);
        expect(constraints.length).toBe(config['max_constraints']);
        expect(new Set(constraints.map(({ kind }) => kindOf(kind).family)).size).toBe(constraints.length);
        for (const constraint of constraints) {
          expect(problem.question).toContain(kindOf(constraint.kind).ask(constraint));
          seen.add(constraint.kind);
        }
        expect(score(problem, instructions.workedAnswer(problem))).toMatchObject({
          total: 1,
          correct: true,
          format: true,
          reason: 'Right.',
        });
      }
      expect([...seen].toSorted()).toEqual([...(config['kinds'] as string[])].toSorted());
    }
    expect(KIND_NAMES.length).toBeGreaterThanOrEqual(25);
  });

  it('hold out subjects: none of training is asked in an evaluation', () => {
    const subjects = (split: Split) =>
      new Set(
        Array.from({ length: 2000 }, (_, i) => {
          const { answer } = instructions.generate(i, split, i, {
            ...instructions.defaults,
            kinds: ['no_comma'],
          });
          return /about (.+)\.$/.exec(answer)?.[1];
        }),
      );
    const [train, held] = [subjects('train'), subjects('eval')];
    expect(train.size).toBeGreaterThan(150);
    expect(held.size).toBeGreaterThan(30);
    expect([...held].filter((subject) => train.has(subject))).toEqual([]);
  });

  it('pay the share of the constraints, or for all of them', () => {
    const problem = asked(atMost(3), question);
    expect(score(problem, 'Is it so?')).toMatchObject({ total: 1, correct: true, format: true });
    const half = {
      correct: false,
      format: false,
      reason: 'Wrong: found 4 words, at most 3 wanted. 1 of 2 constraints are met.',
    };
    expect(score(problem, 'But is it so?')).toMatchObject({ total: 0.5, ...half });
    expect(score(problem, 'But is it so?', { reward_rule: 'all' })).toMatchObject({ total: 0, ...half });
    expect(score(problem, '').reason).toBe(
      'Wrong: found an empty answer; found an empty answer. 0 of 2 constraints are met.',
    );
  });

  it('say what is right by the loose rules, and pay nothing for it', () => {
    expect(score(asked(question), 'Is it so?\nI hope it helps.')).toMatchObject({
      total: 0,
      correct: false,
      format: true,
      reason:
        'Wrong: found no question mark at the end. Right by the loose rules, without its first or last line or its asterisks.',
    });
  });

  it('pay no answer with too few words where a number is set', () => {
    expect(score(asked(question), '?').total).toBe(1);
    expect(score(asked(question), '?', { min_words: 3 })).toMatchObject({
      total: 0,
      correct: false,
      format: false,
    });
    expect(score(asked(question), 'Is it so?', { min_words: 3 }).total).toBe(1);
  });

  it('refuse more constraints than there are families', () => {
    const errors = (kinds: string[], max_constraints: number) =>
      taskConfigErrors(instructions, { kinds, max_constraints });
    expect(errors(['question_end', 'quotation'], 2)).toEqual([
      'kinds: the chosen kinds are of 1 family; 2 constraints need as many families. Choose more kinds, or fewer constraints.',
    ]);
    expect(errors(['question_end', 'no_comma'], 2)).toEqual([]);
  });

  it('ask for fewer constraints where kinds contradict each other', () => {
    const config = {
      ...instructions.defaults,
      kinds: ['json', 'quotation'],
      min_constraints: 2,
      max_constraints: 2,
    };
    const problems = Array.from({ length: 20 }, (_, i) => instructions.generate(0, 'train', i, config));
    expect(new Set(problems.map((problem) => constraintsOf(problem).length))).toEqual(new Set([1]));
  });
});

describe('format_follow', () => {
  const form = (form: 'json' | 'tags', ...keys: string[]): Problem => ({
    ...formatFollow.generate(0, 'train', 0, formatFollow.defaults),
    data: { form, keys, few_shot: false },
  });

  it.each([
    ['{"name": "Ann", "size": "big"}', 1, true],
    ['```json\n{"size": 3, "name": ["a"]}\n```', 1, true],
    ['{"name": "Ann"}', 0.25, true],
    ['{"name": "Ann", "size": "..."}', 0.25, true],
    ['{"name": "Ann", "size": null}', 0.25, true],
    ['{"name": "Ann", "size": "big", "age": 3}', 0.5, true],
    ['Sure: {"name": "Ann", "size": "big"}', 0.5, false],
    ['{"name": "A } \\" {"}\n\nThis {object} has a name.', 0.25, false],
    ['{"name": "Ann", "size": "big"', 0, false],
    ["{'name': 'Ann', 'size': 'big'}", 0, false],
    ['["name", "size"]', 0, false],
    ['', 0, false],
  ])('JSON with name and size: %j earns %d', (text, total, format) => {
    expect(score(form('json', 'name', 'size'), text)).toMatchObject({ total, format, correct: total === 1 });
  });

  it.each([
    ['<name>Ann</name><size>big</size>', 1, true],
    [' <name>Ann</name>\n<size>big\n</size> ', 1, true],
    ['<size>big</size><name>Ann</name>', 0.5, false],
    ['Sure: <name>Ann</name><size>big</size>', 0.5, false],
    ['<name>Ann</name> or <size>big</size>', 0.5, false],
    ['<name>Ann</name><size>...</size>', 0.25, true],
    ['<name>Ann</name><size>big', 0.25, false],
    ['<name>Ann</name><name>Eve</name><size>big</size>', 0.25, false],
    ['name: Ann, size: big', 0, false],
  ])('tags for name and size: %j earns %d', (text, total, format) => {
    expect(score(form('tags', 'name', 'size'), text)).toMatchObject({ total, format, correct: total === 1 });
  });

  it.each(['json', 'tags'])('begins with two answered requests, if asked for: %s', (kind) => {
    const config = { ...formatFollow.defaults, forms: [kind], few_shot: true };
    const problem = formatFollow.generate(0, 'train', 0, config);
    const messages = formatFollow.messages(problem, 'full');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(messages.at(-1)?.content).toBe(problem.question);
    const [bench, ofBench, statue, ofStatue] = messages.map(({ content }) => content);
    expect([bench, statue]).toEqual([
      expect.stringMatching(/^Describe a garden bench\. .*place.*shape/),
      expect.stringMatching(/^Describe a stone statue\. .*weight/),
    ]);
    const asked = (...keys: string[]) => ({ ...problem, data: { form: kind, keys, few_shot: true } });
    expect(score(asked('place', 'shape'), ofBench ?? '')).toMatchObject({ correct: true });
    expect(score(asked('weight'), ofStatue ?? '')).toMatchObject({ correct: true });
  });

  it('says what is missing', () => {
    expect(score(form('json', 'name', 'size'), '{"name": "Ann", "age": 3}').reason).toBe(
      'Wrong: found no value for size; found other keys than name, size.',
    );
    expect(score(form('tags', 'name'), 'Ann').reason).toBe('Wrong: found no text in <name>.');
  });

  it('asks for what its worked answers have', () => {
    for (const level of formatFollow.levels)
      for (let i = 0; i < 200; i++) {
        const problem = formatFollow.generate(1, 'eval', i, { ...formatFollow.defaults, ...level });
        expect(score(problem, formatFollow.workedAnswer(problem))).toMatchObject({ total: 1, correct: true });
      }
  });
});

describe('single_digit_sums', () => {
  it.each([
    ['Seven plus five is twelve.', '12'],
    ['12', '12'],
    ['7 + 5 = 12.', '12'],
    ['The sum is Twenty-One', '21'],
    ['the sum is twenty one!', '21'],
    ['Sixteen, not sixty', '60'],
    ['someone often weighs', null],
    ['', null],
  ])('%j says %s', (text, number) => expect(lastNumber(text)).toBe(number));

  it('asks in words for sums that are right, and holds out mirrored ones together', () => {
    const keys = { train: new Set<string>(), eval: new Set<string>() };
    for (const split of ['train', 'eval'] as const)
      for (let i = 0; i < 1000; i++) {
        const problem = singleDigitSums.generate(2, split, i, singleDigitSums.defaults);
        const terms = (/^What is (.*)\? /.exec(problem.question)?.[1] ?? '').split(' plus ');
        const values = terms.map((term) => Number(lastNumber(term)));
        expect(terms).toEqual(values.map(numberWords));
        expect(Math.max(...values)).toBeLessThanOrEqual(9);
        expect(problem.answer).toBe(`${values.reduce((sum, value) => sum + value, 0)}`);
        expect(score(problem, singleDigitSums.workedAnswer(problem)).correct).toBe(true);
        keys[split].add(values.toSorted((a, b) => a - b).join());
      }
    expect(keys.train.size + keys.eval.size).toBe(55);
    expect([...keys.eval].filter((key) => keys.train.has(key))).toEqual([]);
  });

  it('has problems of both sides at each level', () => {
    for (const level of singleDigitSums.levels)
      for (const split of ['train', 'eval'] as const)
        expect(singleDigitSums.generate(0, split, 0, { ...singleDigitSums.defaults, ...level }).split).toBe(
          split,
        );
    expect(singleDigitSums.generate(0, 'eval', 0, { numbers: 2, max_number: 4 }).split).toBe('eval');
  });

  it('says what it read', () => {
    const problem = singleDigitSums.generate(0, 'train', 0, singleDigitSums.defaults);
    expect(score({ ...problem, answer: '12' }, 'It is eleven.')).toMatchObject({
      total: 0,
      format: true,
      reason: 'Wrong: found 11 as the last number, expected 12.',
    });
  });
});
