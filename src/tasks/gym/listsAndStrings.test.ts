import { describe, expect, it } from 'vitest';
import { distributionGaps, type ComparedItem } from '../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import type { GymTask } from './shared/define.ts';
import { isomorphicStrings } from './words/isomorphicStrings.ts';
import { numberFiltering, numberSorting } from './numbers/numberLists.ts';
import { palindromeGeneration } from './words/palindromeGeneration.ts';
import { ransomNote } from './words/ransomNote.ts';
import { rewrite, REWRITE_RULES, stringManipulation } from './words/stringManipulation.ts';
import { stringInsertion } from './words/stringInsertion.ts';

const numbers = ({ metadata }: ComparedItem): string[] => metadata['original_numbers'] as string[];
const is = (name: string, value: unknown) => (item: ComparedItem) => (item.metadata[name] === value ? 1 : 0);
const size = (name: string) => (item: ComparedItem) => (item.metadata[name] as string | unknown[]).length;
const square = (measure: (item: ComparedItem) => number) => (item: ComparedItem) => measure(item) ** 2;
const decimals = (text: string) => (text.split('.')[1] ?? '').length;
const share = <Item>(items: readonly Item[], holds: (item: Item) => boolean) =>
  items.filter(holds).length / items.length;

const numberStatistics = {
  count: (item: ComparedItem) => numbers(item).length,
  spread: (item: ComparedItem) => numbers(item).length ** 2,
  value: (item: ComparedItem) => Number(numbers(item)[0]),
  magnitude: (item: ComparedItem) => Math.abs(Number(numbers(item)[1])),
  decimals: (item: ComparedItem) => decimals(numbers(item)[0] ?? ''),
  whole: (item: ComparedItem) => share(numbers(item), (text) => Number.isInteger(Number(text))),
};

describeShared('distributions', 'refdata/rg', (folder) => {
  const cases: readonly [GymTask, Record<string, (item: ComparedItem) => number>][] = [
    [numberSorting, { ...numberStatistics, ascending: is('direction', 'ascending') }],
    [
      numberFiltering,
      {
        ...numberStatistics,
        'keep larger': is('operation', 'keep_larger'),
        'keep smaller': is('operation', 'keep_smaller'),
        'remove larger': is('operation', 'remove_larger'),
        kept: size('result'),
        filter: (item) => Number(item.metadata['filter_value']),
        'decimals of the filter': (item) => decimals(String(item.metadata['filter_value'])),
      },
    ],
    [
      isomorphicStrings,
      {
        true: is('solution', true),
        length: (item) => (item.metadata['words'] as string[])[0]?.length ?? 0,
        'different letters': (item) => new Set((item.metadata['words'] as string[])[0]).size,
        'different letters of the second': (item) => new Set((item.metadata['words'] as string[])[1]).size,
      },
    ],
    [
      palindromeGeneration,
      {
        length: size('letters'),
        spread: square(size('letters')),
        'different letters': (item) => new Set(item.metadata['letters'] as string[]).size,
      },
    ],
    [
      ransomNote,
      {
        true: is('solution', true),
        note: size('ransom_note'),
        magazine: size('magazine'),
        'spread of the magazine': square(size('magazine')),
        'different letters': (item) => new Set(item.metadata['magazine'] as string).size,
      },
    ],
    [
      stringInsertion,
      {
        length: size('string'),
        spread: square(size('string')),
        inserted: (item) => item.answer.length - String(item.metadata['string']).length,
      },
    ],
    [
      stringManipulation,
      {
        length: size('string'),
        rules: size('selected_rules'),
        steps: (item) => Math.log((item.metadata['states'] as string[]).length),
        'length of the answer': (item) => item.answer.length,
      },
    ],
  ];
  it.each(cases.map(([task, statistics]) => ({ name: task.name, task, statistics })))(
    '$name draws as upstream does',
    ({ task, statistics }) => {
      const gaps = distributionGaps(task, folder, statistics);
      expect(Object.entries(gaps).filter(([, gap]) => !(gap < 5))).toEqual([]);
    },
  );
});

/** The expected values were worked by hand. */
describe('rewriting', () => {
  const ruleOf = (start: string) => REWRITE_RULES.filter(({ words }) => words.includes(start));

  it.each([
    ["starts with 'ab'", 'abc', 'cac'],
    ["ends with 'ac'", 'bac', 'bcb'],
    ["starts with 'bc'", 'bcc', 'caa'],
    ["ends with 'bb'", 'abb', 'a'],
    ["starts with 'cb'", 'cbab', 'aaa'],
    ["starts with 'cb'", 'cb', 'aa'],
    ["starts with 'ca'", 'cab', 'bbbc'],
    ["ends with 'cc'", 'bcc', 'abb'],
    ["starts with 'aa'", 'aab', 'ab'],
    ["contains 'abc'", 'aabcabc', 'acababc'],
    ["contains 'bca'", 'abcabca', 'abca'],
    ["ends with 'ba'", 'cba', 'cab'],
    ["starts with 'cc'", 'cca', 'a'],
    ["contains 'acb'", 'cacb', 'cbca'],
    ["ends with 'ca'", 'bca', 'bc'],
    ["starts with 'bb'", 'bba', 'ba'],
    ["ends with 'aa'", 'baa', 'bcc'],
    ["contains 'ca' anywhere", 'cabcab', 'cabb'],
    ["contains 'ca' anywhere", 'cab', null],
    ['even number', 'bab', 'babab'],
    ['even number', 'bb', 'bbab'],
    ['even number', 'aab', null],
    ['even number', 'aa', null],
    ['more than 15', 'aaaaaaaabaaaaaaa', 'aaaaaaaaaaaaaaa'],
    ['more than 15', 'aaaaaaaaaaaaaaa', null],
    ["starts with 'ac'", 'acb', 'zzb'],
  ])('%s: %s becomes %s', (words, text, result) => {
    expect(ruleOf(words).map((rule) => rule.apply(text))).toEqual([result]);
  });

  it('stops before a string that it has had', () => {
    // ab → ca → bbc, and then nothing starts with ab or ca.
    const rules = [...ruleOf("starts with 'ab'"), ...ruleOf("starts with 'ca'")];
    expect(rewrite('abb', rules, 10)).toEqual(['abb', 'cab', 'bbbc']);
    // cba → cab (ends with ba) and back by no rule; aab → ab by one.
    expect(rewrite('aab', ruleOf("starts with 'aa'"), 10)).toEqual(['aab', 'ab']);
  });

  it('gives up where there is no end', () => {
    const grow = { words: '', apply: (text: string) => `${text}a` };
    expect(rewrite('a', [grow], 10)).toBeNull();
    const turn = { words: '', apply: (text: string) => (text === 'a' ? 'b' : 'a') };
    expect(rewrite('a', [turn], 10)).toEqual(['a', 'b']);
  });
});

function scoresOf(task: GymTask, answer: string, metadata: unknown) {
  return (candidate: string) => {
    const entry = { question: '', answer, metadata };
    return [task.grade(entry, candidate, 'strict'), task.grade(entry, candidate, 'upstream')];
  };
}

describe('scores, strict and upstream', () => {
  const sorted = scoresOf(numberSorting, "['1.0', '2.5', '3.0']", {
    direction: 'ascending',
    original_numbers: ['2.5', '1.0', '3.0'],
  });
  it.each([
    ["['1.0', '2.5', '3.0']", [1, 1]],
    ['["1", "2.50", "3e0"]', [1, 1]],
    [' [1, 2.5, 3]\n', [1, 1]],
    ["('1.0', '2.5', '3.0')", [0, 0]],
    ["['1.9', '2.5', '3.0']", [0, 1]],
    ['[NaN, NaN, NaN]', [0, 1]],
    ["['nan', '2.5', '3.0']", [0, 1]],
    ["['2', 'nan', '3.0']", [0, 1]],
    ["['3.0', '2.5', '1.0']", [0, 0]],
    ['[true, 2.5, 3]', [0, 1]],
    ["['1_0e-1', ' 2.5', '٣']", [0, 1]],
    ['[1, 2.5, [3]]', [0, 0]],
    ['[1, 2.5, 3, 4]', [0, 0]],
    ['[1, 2.5, null]', [0, 0]],
    [`[1, 2.5, ${'9'.repeat(400)}]`, [0, 0]],
    [`[1, 2.5, "${'9'.repeat(400)}"]`, [0, 0]],
    ['["1.0, 2.5, 3.0"]', [0, 0]],
    ['', [0, 0]],
  ])('sorting %s', (candidate, scores) => {
    expect(sorted(candidate)).toEqual(scores);
  });

  it('sorts the given numbers where the label is rounded', () => {
    const entry = {
      question: '',
      answer: "['1', '2']",
      metadata: { direction: 'ascending', original_numbers: ['2', '0.7'] },
    };
    expect(numberSorting.grade(entry, "['0.7', '2']", 'strict')).toBe(1);
    expect(numberSorting.grade(entry, "['1', '2']", 'strict')).toBe(0);
  });

  const filtered = scoresOf(numberFiltering, "['1', '2.50']", {});
  it.each([
    ["['1', '2.50']", [1, 1]],
    [' ["1","2.50"]', [1, 0]],
    ["['1', '2.50'] or so", [0, 13 / 19]],
    ["['1', '2.5']", [0, 0]],
    ['[1, 2.50]', [0, 0]],
    ["['2.50', '1']", [0, 0]],
  ])('filtering %s', (candidate, scores) => {
    expect(filtered(candidate)).toEqual(scores);
  });

  const palindrome = scoresOf(palindromeGeneration, 'ahha', { letters: ['h', 'a', 'h', 'a'] });
  it.each([
    ['haah', [1, 1]],
    [' AHHA\n', [1, 1]],
    ['abba', [0, 0.05]],
    ['   ', [0, 0.05]],
    ['ahah', [0, 0.02]],
    ['', [0, 0]],
    ['😀😀', [0, 0.05]],
  ])('palindrome %s', (candidate, scores) => {
    expect(palindrome(candidate)).toEqual(scores);
  });

  const inserted = scoresOf(stringInsertion, 'ABCDAE', { string: 'ABCDE' });
  it.each([
    ['ABCDAE', [1, 1]],
    [' ABCDAE\n', [1, 0]],
    ["'ABCDAE'", [0, 0.1]],
    ["['ABC', 'DAE']", [0, 0.1]],
    ['\'ABC\' "DAE"', [0, 0.1]],
    ["'ABC', 'DAE'", [0, 0.1]],
    ['oracle_answer', [0, 0.1]],
    ['[A, B]', [0, 0]],
    ['["ABCDAE", 1]', [0, 0]],
    ["b'ABCDAE'", [0, 0]],
    ['12', [0, 0]],
    ['', [0, 0]],
  ])('insertion %s', (candidate, scores) => {
    expect(inserted(candidate)).toEqual(scores);
  });
});

/** The expected values were worked by hand. */
describe('steps', () => {
  const steps = (task: GymTask, answer: string, data: unknown) =>
    task.workedAnswer({ task: task.name, split: 'train', index: 0, question: '', compact: '', answer, data });

  it('insert one number after the other', () => {
    expect(steps(numberSorting, '', { direction: 'descending', original_numbers: ['4', '17', '9'] })).toBe(
      '4: 4\n17: 17 4\n9: 17 9 4\n<answer></answer>',
    );
  });

  it('compare each number with the threshold', () => {
    const data = { original_numbers: ['4', '17', '9'], filter_value: '9', operation: 'remove_larger' };
    expect(steps(numberFiltering, '', data)).toBe('4<9 in\n17>9 out\n9=9 in\n<answer></answer>');
  });

  it('match letters up to the first clash', () => {
    expect(steps(isomorphicStrings, 'True', { words: ['egg', 'add'] })).toBe(
      'ea+ gd+ gd=\n<answer>True</answer>',
    );
    expect(steps(isomorphicStrings, 'False', { words: ['foob', 'barx'] })).toBe(
      'fb+ oa+ or!\n<answer>False</answer>',
    );
    expect(steps(isomorphicStrings, 'False', { words: ['abc', 'xxy'] })).toBe(
      'ax+ bx!\n<answer>False</answer>',
    );
  });

  it('cross out letters', () => {
    expect(steps(ransomNote, 'True', { ransom_note: 'aa', magazine: 'abca' })).toBe(
      'a:bca a:bc\n<answer>True</answer>',
    );
    expect(steps(ransomNote, 'False', { ransom_note: 'axa', magazine: 'aab' })).toBe(
      'a:ab x?\n<answer>False</answer>',
    );
  });

  it('halve the letters', () => {
    expect(steps(palindromeGeneration, 'ahah', { letters: ['h', 'a', 'a', 'h', 'y', 'h', 'h'] })).toBe(
      'h4 a2 y1\nhha y\n<answer>ahah</answer>',
    );
  });

  it('find runs', () => {
    expect(steps(stringInsertion, '', { string: 'EABCDEAB' })).toBe('EABCE DEABD\n<answer></answer>');
    expect(steps(stringInsertion, '', { string: 'AABCDEA' })).toBe('A ABCDA E A\n<answer></answer>');
  });
});

it('counts the problems of small settings', () => {
  const count = (task: GymTask, config: Record<string, number>) =>
    task.space({ ...task.defaults, ...config });
  const distinct = (task: GymTask, config: Record<string, number>) => {
    const full = { ...task.defaults, ...config };
    const seen = new Set<string>();
    for (let index = 0; index < 20_000; index++) {
      const { compact } = task.generate(1, index % 5 === 0 ? 'eval' : 'train', index, full);
      const [head = '', tail = ''] = compact.split(': ');
      const parts = tail === '' ? compact.split(' ') : tail.split(' ');
      seen.add(`${tail === '' ? '' : head}${parts.toSorted().join(' ')}`);
    }
    return seen.size;
  };
  const narrow = { min_numbers: 2, max_numbers: 3, max_decimals: 0, min_value: 0, max_value: 3 };
  expect(count(numberSorting, narrow)).toBe(60);
  expect(distinct(numberSorting, narrow)).toBe(60);
  expect(count(numberFiltering, narrow)).toBe(distinct(numberFiltering, narrow));
  expect(count(palindromeGeneration, { min_length: 1, max_length: 3 })).toBe(26 + 26 + 676);
  expect(count(isomorphicStrings, { max_string_length: 2, p_solvable: 1 })).toBe(676);
  expect(count(numberSorting, {})).toBeNull();
});

describe('steps lead to the answer', () => {
  const quoted = (items: readonly string[]) => `[${items.map((item) => `'${item}'`).join(', ')}]`;
  const lastLine = (steps: string) => steps.split('\n').at(-1) ?? '';
  const cases: readonly [GymTask, (steps: string) => string][] = [
    [numberSorting, (steps) => quoted((lastLine(steps).split(': ')[1] ?? '').split(' '))],
    [
      numberFiltering,
      (steps) => quoted(steps.split('\n').flatMap((line) => /^([-.\d]+)[<=>].* in$/.exec(line)?.[1] ?? [])),
    ],
    [isomorphicStrings, (steps) => (steps.endsWith('!') ? 'False' : 'True')],
    [ransomNote, (steps) => (steps.endsWith('?') ? 'False' : 'True')],
    [
      palindromeGeneration,
      (steps) => {
        const [half = '', middle = ''] = lastLine(steps).split(' ');
        return half + middle + Array.from(half).toReversed().join('');
      },
    ],
    [stringInsertion, (steps) => steps.replaceAll(' ', '')],
    [stringManipulation, lastLine],
  ];
  it.each(cases.map(([task, read]) => ({ name: task.name, task, read })))('$name', ({ task, read }) => {
    for (const config of [task.defaults, { ...task.defaults, ...task.starter?.config }]) {
      for (let index = 0; index < 500; index++) {
        const problem = task.generate(8, 'train', index, config as typeof task.defaults);
        const steps = task.workedAnswer(problem).replace(/\n<answer>[^]*$/, '');
        expect([problem.question, read(steps)]).toEqual([problem.question, problem.answer]);
      }
    }
  });
});
