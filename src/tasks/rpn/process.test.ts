import { describe, expect, it } from 'vitest';
import { chiSquared, chiSquaredBound } from '@rl-playground/base/testing/chiSquared';
import { drawsFor } from '@rl-playground/base/random';
import { catalan, dyckPath, derivation, equation, randomExpression, reduceOnce } from './process.ts';
import { rpnIds, rpnText, rpnVocabulary, type Operator } from './vocabulary.ts';

const ALL: readonly Operator[] = ['+', '-', '*'];

/** A path as the paper draws it: x up, o down. */
const drawn = (pairs: number, rank: number): string =>
  dyckPath(pairs, rank)
    .map((up) => (up ? 'x' : 'o'))
    .join('');

/** The value by a stack machine on BigInt, which never takes a remainder before the end. */
function valueOf(text: string, p: number): number {
  const stack: bigint[] = [];
  for (const word of text.split(' ')) {
    if (/^\d+$/.test(word)) {
      stack.push(BigInt(word));
      continue;
    }
    const right = stack.pop() ?? 0n;
    const left = stack.pop() ?? 0n;
    stack.push(word === '+' ? left + right : word === '-' ? left - right : left * right);
  }
  const value = (stack[0] ?? 0n) % BigInt(p);
  return Number(value < 0n ? value + BigInt(p) : value);
}

describe('rpnVocabulary', () => {
  it('puts operands first, then the operators in their order, then the marks', () => {
    const { words, equals, boe, eoe, pad } = rpnVocabulary(13, ['+']);
    expect(words).toHaveLength(18);
    expect([words[0], words[12], words[13], equals, boe, eoe, pad]).toEqual(['0', '12', '+', 14, 15, 16, 17]);
    expect(words.slice(14)).toEqual(['=', '<boe>', '<eoe>', '<pad>']);
  });

  it('moves ids with modulus and operators', () => {
    expect(rpnVocabulary(113, ['+']).words).toHaveLength(118);
    const reordered = rpnVocabulary(5, ['*', '+']);
    expect(rpnIds(reordered, '2 0 + 3 * = <eoe>')).toEqual([2, 0, 6, 3, 5, 7, 9]);
  });

  it('reads words with and without spaces, and knows the words that are no tokens', () => {
    const vocabulary = rpnVocabulary(13, ['+']);
    expect(rpnIds(vocabulary, '= 3 9+=12<eoe>')).toEqual([14, 3, 9, 13, 14, 12, 16]);
    expect(rpnIds(vocabulary, '13 012 - x <EOE>')).toEqual([-1, -1, -1, -1, -1, -1, -1, -1, -1]);
    expect(rpnIds(vocabulary, ' \n')).toEqual([]);
  });
});

describe('dyckPath', () => {
  it('lists the paths in the order of the process', () => {
    expect([0, 1].map((rank) => drawn(2, rank))).toEqual(['xxoo', 'xoxo']);
    expect([0, 1, 2, 3, 4].map((rank) => drawn(3, rank))).toEqual([
      'xxxooo',
      'xxoxoo',
      'xxooxo',
      'xoxxoo',
      'xoxoxo',
    ]);
  });

  it('makes every path of ten pairs once', () => {
    expect(Array.from({ length: 11 }, (_, pairs) => catalan(pairs))).toEqual([
      1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796,
    ]);
    const paths = Array.from({ length: catalan(10) }, (_, rank) => drawn(10, rank));
    expect(new Set(paths).size).toBe(16796);
    // One expectation for all: the third of a million of them takes seconds.
    const wrong = paths.filter((path) => {
      let [height, lowest] = [0, 0];
      for (const step of path) {
        height += step === 'x' ? 1 : -1;
        lowest = Math.min(lowest, height);
      }
      return height !== 0 || lowest < 0;
    });
    expect(wrong).toEqual([]);
  });
});

describe('randomExpression', () => {
  const vocabulary = rpnVocabulary(7, ALL);
  const many = (complexity: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      randomExpression(vocabulary, complexity, drawsFor(31, complexity, index)),
    );

  it.each([1, 2, 3, 4, 5])('has 2k + 1 tokens of a well-formed expression for k = %i', (complexity) => {
    for (const tokens of many(complexity, 200)) {
      expect(tokens).toHaveLength(2 * complexity + 1);
      const value = derivation(vocabulary, tokens).at(-1);
      expect(value).toEqual([valueOf(rpnText(vocabulary, tokens), 7)]);
    }
  });

  it('draws shapes, operands and operators uniformly', () => {
    const expressions = many(4, 14_000);
    const uniform = (counts: Map<unknown, number>, outcomes: number) => {
      expect(counts.size).toBe(outcomes);
      const { statistic } = chiSquared([...counts.values()], new Float64Array(outcomes).fill(1 / outcomes));
      expect(statistic).toBeLessThan(chiSquaredBound(outcomes - 1));
    };
    const tally = (keys: readonly unknown[]) => {
      const counts = new Map<unknown, number>();
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts;
    };
    uniform(tally(expressions.map((tokens) => tokens.map((id) => (id < 7 ? 'v' : 'o')).join(''))), 14);
    uniform(tally(expressions.flat().filter((id) => id < 7)), 7);
    uniform(tally(expressions.flat().filter((id) => id >= 7)), 3);
  });
});

describe('equation', () => {
  const written = (text: string, p: number, operators: readonly Operator[]): string => {
    const vocabulary = rpnVocabulary(p, operators);
    return rpnText(vocabulary, equation(vocabulary, rpnIds(vocabulary, text)));
  };

  it.each([
    ['7 9 +', '<boe> 7 9 + = 3 <eoe>'],
    ['3 4 5 + +', '<boe> 3 4 5 + + = 3 9 + = 12 <eoe>'],
    ['3 4 + 5 +', '<boe> 3 4 + 5 + = 7 5 + = 12 <eoe>'],
    ['1 2 + 3 4 + +', '<boe> 1 2 + 3 4 + + = 3 7 + = 10 <eoe>'],
    ['12 12 12 + +', '<boe> 12 12 12 + + = 12 11 + = 10 <eoe>'],
    ['5', '<boe> 5 <eoe>'],
  ])('modulo 13: %s', (expression, line) => {
    expect(written(expression, 13, ['+'])).toBe(line);
  });

  it('subtracts what is on top, and keeps results at 0 or above', () => {
    expect(written('3 7 -', 13, ALL)).toBe('<boe> 3 7 - = 9 <eoe>');
    expect(written('0 12 - 12 *', 13, ALL)).toBe('<boe> 0 12 - 12 * = 1 12 * = 12 <eoe>');
  });

  it('carries out all that is ready in one pass, and nothing that the pass makes ready', () => {
    expect(written('2 0 + 3 1 - 4 + -', 5, ['+', '-'])).toBe(
      '<boe> 2 0 + 3 1 - 4 + - = 2 2 4 + - = 2 1 - = 1 <eoe>',
    );
    const vocabulary = rpnVocabulary(13, ['+']);
    expect(reduceOnce(vocabulary, rpnIds(vocabulary, '1 2 + 3 +'))).toEqual([3, 3, 13]);
  });

  it.each([1, 2, 3, 4, 5])(
    'takes at most (k + 1)(k + 2) + 1 tokens for k = %i, as chains do',
    (complexity) => {
      const vocabulary = rpnVocabulary(13, ['+']);
      const most = [7, 13, 21, 31, 43][complexity - 1];
      const chain = [
        ...Array.from({ length: complexity + 1 }, () => 1),
        ...Array.from({ length: complexity }, () => 13),
      ];
      expect(equation(vocabulary, chain)).toHaveLength(most ?? 0);
      for (let rank = 0; rank < catalan(complexity); rank++) {
        const tokens = [1, ...dyckPath(complexity, rank).map((up) => (up ? 1 : 13))];
        expect(equation(vocabulary, tokens).length).toBeLessThanOrEqual(most ?? 0);
      }
    },
  );

  it('refuses what is no expression', () => {
    const vocabulary = rpnVocabulary(13, ['+']);
    expect(() => derivation(vocabulary, [1, 2])).toThrow('well-formed');
  });
});
