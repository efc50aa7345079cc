import { expect, it } from 'vitest';
import { distributionGaps, type ComparedItem } from '../../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { countSolutions } from './zebraClues.ts';
import { zebraPuzzles } from './zebraPuzzles.ts';

const clues = ({ question }: ComparedItem): string[] =>
  question.split('\n').filter((line) => /^\d+\. /.test(line));
const share = (pattern: RegExp) => (item: ComparedItem) =>
  clues(item).filter((clue) => pattern.test(clue)).length / clues(item).length;

describeShared('reference items', 'refdata/rg', (folder) => {
  it('has as many clues of each kind as upstream', () => {
    const gaps = distributionGaps(zebraPuzzles, folder, {
      clues: (item) => clues(item).length,
      spread: (item) => clues(item).length ** 2,
      'in a house': share(/in the \w+ house/),
      'directly left': share(/directly left of/),
      beside: share(/next to each other/),
      traits: (item) => item.question.split('\n').filter((line) => /^ ?- /.test(line)).length,
    });
    expect(Object.entries(gaps).filter(([, gap]) => !(gap < 5))).toEqual([]);
  });
});

const HOUSES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];

function permutations(count: number): number[][] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((rest) =>
    Array.from({ length: count }, (_, place) => rest.toSpliced(place, 0, count - 1)),
  );
}

/** Names in the first house of every arrangement that the question's clues allow, by trying all of them. */
function firstNames(question: string): string[] {
  const lines = question.split('\n');
  const traits = lines
    .filter((line) => line.startsWith('- '))
    .map((line) => (line.split(': ')[1] ?? '').split(', '));
  const values = traits.flat();
  const people = traits[0]?.length ?? 0;
  const tests = lines
    .filter((line) => /^\d+\. /.test(line))
    .map((line) => {
      // Values may be parts of each other, as rice and price are; a clue names whole words.
      const words = line.replace(/^\d+\. |\.$/g, '').split(' ');
      const [a = -1, b = -1] = values
        .flatMap((value, i) => (words.includes(value) ? [{ i, at: words.indexOf(value) }] : []))
        .toSorted((x, y) => x.at - y.at)
        .map(({ i }) => i);
      const house = HOUSES.findIndex((name) => line.includes(`in the ${name} house`));
      return (houseOf: readonly number[]): boolean => {
        const [left = NaN, right = NaN] = [houseOf[a], houseOf[b]];
        if (house >= 0) return left === house;
        if (line.includes(' directly left of ')) return left + 1 === right;
        return line.includes(' next to each other') ? Math.abs(left - right) === 1 : left === right;
      };
    });
  const orders = permutations(people);
  let arrangements: number[][] = [[]];
  for (let trait = 0; trait < traits.length; trait++)
    arrangements = arrangements.flatMap((arrangement) => orders.map((order) => [...arrangement, ...order]));
  return arrangements
    .filter((houseOf) => tests.every((holds) => holds(houseOf)))
    .map((houseOf) => values[houseOf.indexOf(0)] ?? '');
}

it.each([
  { num_people: 2, num_characteristics: 2, count: 60 },
  { num_people: 3, num_characteristics: 4, count: 60 },
  { num_people: 4, num_characteristics: 3, count: 30 },
])('has one solution: $num_people people, $num_characteristics traits', ({ count, ...size }) => {
  const config = { ...zebraPuzzles.defaults, ...size };
  for (let index = 0; index < count; index++) {
    const { question, answer } = zebraPuzzles.generate(6, 'train', index, config);
    expect([question, ...firstNames(question)]).toEqual([question, answer]);
  }
});

it('counts solutions', () => {
  const size = { houses: 3, traits: 2 };
  expect(countSolutions([], { houses: 2, traits: 1 }, 10)).toBe(2);
  expect(countSolutions([], size, 100)).toBe(36);
  expect(countSolutions([], size)).toBe(2);
  // 0 is directly left of 1, and 1 of 2: one order of the first trait, six of the second.
  const row = [
    { kind: 'left', a: 0, b: 1 },
    { kind: 'left', a: 1, b: 2 },
  ] as const;
  expect(countSolutions(row, size, 100)).toBe(6);
  expect(countSolutions([...row, { kind: 'found', a: 0, house: 1 }], size, 100)).toBe(0);
  expect(
    countSolutions([...row, { kind: 'same', a: 1, b: 4 }, { kind: 'found', a: 3, house: 2 }], size, 100),
  ).toBe(1);
  expect(countSolutions([{ kind: 'next', a: 0, b: 1 }], { houses: 3, traits: 1 }, 100)).toBe(4);
});

it('scores names in either case', () => {
  const scores = (candidate: string | null) =>
    (['strict', 'upstream'] as const).map((mode) =>
      zebraPuzzles.grade({ question: '', answer: 'carol', metadata: {} }, candidate, mode),
    );
  expect(scores('Carol')).toEqual([1, 1]);
  expect(scores('CA\nROL\n')).toEqual([0, 1]);
  expect(scores(' carol')).toEqual([1, 0]);
  expect(scores('carol.')).toEqual([0, 0]);
  expect(scores(null)).toEqual([0, 0]);
});
