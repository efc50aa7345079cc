import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { taskByName, TASK_NAMES } from './allTasks.ts';
import { drawsFor } from '@rl-playground/base/random';
import { TAG_RATE } from './digitAnswer.ts';
import * as reverse from './reverseDigits.ts';
import * as sum from './sumDigits.ts';
import type { Problem, Task } from './define/types.ts';

interface Row {
  readonly variant: string;
  readonly numbers: readonly number[];
  readonly answer: number;
}

const TASK_OF_VARIANT: Readonly<Record<string, string>> = {
  'monarch.sum_digits': 'sum_digits',
  'monarch.reverse_digits': 'reverse_digits',
  'torchtitan.rl.sum_digits': 'sum_digits',
};

/** A problem about given numbers, as the task itself puts it. */
function problemOf(task: string, numbers: readonly number[], answer: string): Problem {
  const [number = 0] = numbers;
  const question =
    task === 'sum_digits'
      ? `Add up all the digits of the numbers ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}.`
      : `Write the number ${number} backwards.`;
  const compact = task === 'sum_digits' ? `sum ${numbers.join(' ')}` : `reverse ${number}`;
  const data = task === 'sum_digits' ? { numbers } : { number };
  return { task, split: 'train', index: 0, question, compact, answer, data };
}

function numbersOf({ data }: Problem): number[] {
  return Object.values(data as Record<string, number | number[]>).flat();
}

function scoreOf(task: Task, problem: Problem, text: string, rule: 'tag_required' | 'correct_only') {
  const settings = { mode: 'strict', config: { ...task.defaults, reward_rule: rule } } as const;
  return task.score(problem, { text, tokens: [], stopReason: 'eos' }, settings);
}

/** A draw that yields the given numbers, then 0.5 for ever. */
function scripted(...values: readonly number[]): () => number {
  const queue = [...values];
  return () => queue.shift() ?? 0.5;
}

const TAGGED = 0;
const UNTAGGED = 0.999;

describeShared('truth against the reference system', 'refdata/digits/tasks.jsonl', (path) => {
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  const known = rows.filter((row) => row.variant in TASK_OF_VARIANT);

  it('has rows of every variant', () => {
    expect(new Set(known.map((row) => row.variant)).size).toBe(3);
  });

  it.each(known)('$variant $numbers → $answer', ({ variant, numbers, answer }) => {
    const name = TASK_OF_VARIANT[variant];
    if (name === undefined) throw new Error(`No task for ${variant}`);
    // The demonstration works the answer out from the numbers alone.
    const steps = taskByName(name).demonstration(problemOf(name, numbers, String(answer)), scripted(TAGGED));
    const worked = steps.split('\n')[0] ?? '';
    const found = name === 'sum_digits' ? worked.split('= ').at(-1) : worked.replaceAll(' ', '');
    expect(Number(found)).toBe(answer);
  });
});

describe.each(['sum_digits', 'reverse_digits'])('%s', (name) => {
  const task = taskByName(name);
  const problems = Array.from({ length: 3000 }, (_, index) =>
    task.generate(0, 'train', index, task.defaults),
  );

  it('knows the answer to its own problems', () => {
    for (const problem of problems) {
      const { answer } = problem;
      expect(problemOf(name, numbersOf(problem), answer)).toMatchObject({
        question: problem.question,
        compact: problem.compact,
      });
      // Worked with BigInt arithmetic, not on the digits' text.
      let rest = numbersOf(problem).map(BigInt);
      let expected = 0n;
      while (rest.some((number) => number > 0n)) {
        for (const number of rest)
          expected = name === 'sum_digits' ? expected + (number % 10n) : expected * 10n + (number % 10n);
        rest = rest.map((number) => number / 10n);
      }
      expect(answer).toBe(String(expected));
    }
  });

  it('scores what its demonstrations intend', () => {
    for (const problem of problems.slice(0, 500)) {
      const score = (first: number, rule: 'tag_required' | 'correct_only') => {
        const text = task.demonstration(problem, scripted(first));
        return scoreOf(task, problem, text, rule);
      };
      expect(score(TAGGED, 'tag_required')).toMatchObject({
        total: 1,
        correct: true,
        format: true,
        matchedBy: 'tag',
      });
      expect(score(UNTAGGED, 'correct_only')).toMatchObject({ total: 1, correct: true, format: false });
      expect(score(UNTAGGED, 'tag_required')).toMatchObject({
        total: -1,
        parts: { correct: 1, format: -2 },
        matchedBy: 'phrase',
      });
    }
  });

  it('makes right demonstrations, tagged at the stated rate', () => {
    const rewards = problems.map((problem, index) => {
      const text = task.demonstration(problem, drawsFor(12, index));
      return scoreOf(task, problem, text, 'correct_only');
    });
    expect(rewards.every(({ correct }) => correct)).toBe(true);
    const tagged = rewards.filter(({ format }) => format).length / rewards.length;
    // Four standard deviations of a rate of one half in 3000 draws are 0.037.
    expect(Math.abs(tagged - TAG_RATE)).toBeLessThan(0.037);
  });

  it('shows a worked example that its own scoring likes, in both prompt styles', () => {
    const numbers = name === 'sum_digits' ? [48, 305] : [5072];
    const problem = problemOf(name, numbers, name === 'sum_digits' ? '20' : '2705');
    const [system, user] = task.messages(problem, 'full');
    expect(system?.role).toBe('system');
    expect(system?.content).toContain('[ANSWER] <number>');
    const example = system?.content.split('Answer:\n')[1] ?? '';
    for (const text of [example, task.workedAnswer(problem)]) {
      expect(scoreOf(task, problem, text, 'tag_required').total).toBe(1);
    }
    expect(user?.role).toBe('user');
    expect(system?.content).toContain(`Problem: ${user?.content}`);
    expect(task.demonstration(problem, scripted(TAGGED))).toBe(task.workedAnswer(problem));
  });
});

describe('sum_digits', () => {
  const problem = problemOf('sum_digits', [12, 34], '10');

  it('draws two to four numbers from 10 to 999', () => {
    const problems = Array.from({ length: 5000 }, (_, index) =>
      sum.sumDigits.generate(1, 'eval', index, sum.sumDigits.defaults),
    );
    expect(new Set(problems.map((each) => numbersOf(each).length))).toEqual(new Set([2, 3, 4]));
    const numbers = problems.flatMap(numbersOf);
    expect(Math.min(...numbers)).toBe(10);
    expect(Math.max(...numbers)).toBe(999);
  });

  it('demonstrates running sums', () => {
    const show = (first: number) => sum.sumDigits.demonstration(problem, scripted(first));
    expect(show(TAGGED)).toBe('1 + 2 = 3 + 3 = 6 + 4 = 10\n[ANSWER] 10');
    expect(show(UNTAGGED)).toBe('1 + 2 = 3 + 3 = 6 + 4 = 10\nAnswer: 10');
  });

  it('asks in few words of a starter model and in a sentence of others', () => {
    const three = problemOf('sum_digits', [123, 45, 67], '28');
    expect(sum.sumDigits.messages(three, 'compact')).toEqual([{ role: 'user', content: 'sum 123 45 67' }]);
    expect(sum.sumDigits.messages(three, 'full')[1]?.content).toBe(
      'Add up all the digits of the numbers 123, 45 and 67.',
    );
  });
});

describe('reverse_digits', () => {
  it('draws numbers of six and seven digits', () => {
    const numbers = Array.from({ length: 5000 }, (_, index) =>
      reverse.reverseDigits.generate(1, 'train', index, reverse.reverseDigits.defaults),
    ).map((problem) => String(numbersOf(problem)[0]));
    expect(new Set(numbers.map((number) => number.length))).toEqual(new Set([6, 7]));
    const sevens = numbers.filter((number) => number.length === 7).length / numbers.length;
    expect(Math.abs(sevens - 10 / 11)).toBeLessThan(0.02);
  });

  it('demonstrates the digits from last to first and keeps zeros in front, which reading ignores', () => {
    const show = (number: number, answer: string, first: number) =>
      reverse.reverseDigits.demonstration(problemOf('reverse_digits', [number], answer), scripted(first));
    expect(show(1234567, '7654321', TAGGED)).toBe('7 6 5 4 3 2 1\n[ANSWER] 7654321');
    expect(show(1000000, '1', TAGGED)).toBe('0 0 0 0 0 0 1\n[ANSWER] 0000001');
    expect(show(519610, '16915', UNTAGGED)).toBe('0 1 6 9 1 5\nAnswer: 016915');
  });

  it('asks in few words of a starter model and in a sentence of others', () => {
    const problem = problemOf('reverse_digits', [1234567], '7654321');
    expect(reverse.reverseDigits.messages(problem, 'compact')).toEqual([
      { role: 'user', content: 'reverse 1234567' },
    ]);
    expect(reverse.reverseDigits.messages(problem, 'full')[1]?.content).toBe(
      'Write the number 1234567 backwards.',
    );
  });
});

describe('taskByName', () => {
  it('finds every task', () => {
    for (const name of TASK_NAMES) expect(taskByName(name).name).toBe(name);
  });

  it('lists what exists when a name is unknown', () => {
    expect(() => taskByName('chess')).toThrow(
      'There is no task named "chess". Choose one of: sum_digits, reverse_digits, ',
    );
    expect(() => taskByName('toString')).toThrow('no task named "toString"');
  });
});
