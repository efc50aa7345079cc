import { describe, expect, it } from 'vitest';
import { referenceItems } from '../testing/gymConformance.ts';
import { distributionGaps, type ComparedItem } from '../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import type { Problem } from '../define/types.ts';
import {
  SIDES,
  TURNED,
  turnCube,
  type Cube,
  type Side,
  type Turn,
  colorCubeRotation,
} from './logic/colorCubeRotation.ts';
import type { GymTask } from './shared/define.ts';
import { familyRelationships } from './logic/familyRelationships.ts';
import { groupAnagrams } from './words/groupAnagrams.ts';
import { NAMES, THINGS, VERBS, needleHaystack } from './logic/needleHaystack.ts';
import { selfReference } from './logic/selfReference.ts';

const is = (name: string, value: unknown) => (item: ComparedItem) => (item.metadata[name] === value ? 1 : 0);
const answers = (word: string) => (item: ComparedItem) => (item.answer === word ? 1 : 0);
const number = (name: string) => (item: ComparedItem) => Number(item.metadata[name]);
const square = (measure: (item: ComparedItem) => number) => (item: ComparedItem) => measure(item) ** 2;
const each = <Key extends string>(
  keys: readonly Key[],
  measure: (key: Key) => (item: ComparedItem) => number,
) => Object.fromEntries(keys.map((key) => [key, measure(key)]));
const said = (words: string) => (item: ComparedItem) =>
  Number(new RegExp(`${words} (\\d)`).exec(item.question)?.[1]);
const statements = (item: ComparedItem) =>
  (item.question.split('\n')[0] ?? '').split('. ').filter(Boolean).length;

const RELATIONS =
  'father son wife mother husband daughter grandfather grandmother brother sister mother-in-law father-in-law'.split(
    ' ',
  );

describeShared('reference items', 'refdata/rg', (folder) => {
  const cases: readonly [GymTask, Record<string, (item: ComparedItem) => number>][] = [
    // Sizes of groups are those of the word list, and the reference items have a list of their own.
    [
      groupAnagrams,
      {
        groups: number('anagram_groups'),
        spread: square(number('anagram_groups')),
      },
    ],
    [
      familyRelationships,
      { members: number('family_size'), spread: square(number('family_size')), ...each(RELATIONS, answers) },
    ],
    [
      colorCubeRotation,
      {
        turns: number('num_rotations'),
        spread: square(number('num_rotations')),
        ...each(SIDES, (side) => is('target_side', side)),
        ...each(
          TURNED.map((turn) => `first ${turn}`),
          (text) => (item) => (text === `first ${(item.metadata['rotations'] as string[])[0]}` ? 1 : 0),
        ),
        red: answers('red'),
        violet: answers('violet'),
      },
    ],
    [needleHaystack, { statements, spread: square(statements) }],
    [
      selfReference,
      {
        'at least': said('At least'),
        'at most': said('At most'),
        'exactly true': (item) =>
          Number(/Exactly (\d) of these 7 statements are true/.exec(item.question)?.[1]),
        'exactly false': (item) =>
          Number(/Exactly (\d) of these 7 statements are false/.exec(item.question)?.[1]),
        solutions: (item) => Number(item.answer),
        ...each(['0', '1', '2', '3', '4'], answers),
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

  it('turns cubes as upstream does', () => {
    const items = referenceItems(folder, 'color_cube_rotation');
    expect(items.length).toBeGreaterThan(0);
    for (const { answer, metadata } of items) {
      const { initial_state, rotations, target_side } = metadata as {
        initial_state: Cube;
        rotations: Turn[];
        target_side: Side;
      };
      expect(rotations.reduce(turnCube, initial_state)[target_side]).toBe(answer);
    }
  });
});

function problems(task: GymTask, count: number, config: Record<string, number> = {}): Problem[] {
  const full = { ...task.defaults, ...config };
  return Array.from({ length: count }, (_, index) => task.generate(2, 'train', index, full));
}

describe('answers, worked out again from the question', () => {
  interface Told {
    readonly parents: Map<string, string[]>;
    readonly spouse: Map<string, string>;
  }

  function readStory(text: string): Told {
    const told: Told = { parents: new Map(), spouse: new Map() };
    for (const sentence of text.split('.').filter((part) => part.trim() !== '')) {
      const match = /^\s*(\w+) and (\w+) are married(?: and have (?:one child, |children named )(.*))?$/.exec(
        sentence,
      );
      if (match === null) throw new Error(`A sentence of another form: ${sentence}`);
      const [, husband = '', wife = '', children = ''] = match;
      told.spouse.set(husband, wife).set(wife, husband);
      for (const child of children.split(/, | and /).filter(Boolean))
        told.parents.set(child, [husband, wife]);
    }
    return told;
  }

  /** All that `a` may be to `b`, sexes aside. */
  function kinds({ parents, spouse }: Told, a: string, b: string): string[] {
    const of = (name: string) => parents.get(name) ?? [];
    const elders = (name: string) => of(name).flatMap(of);
    const siblings = (x: string, y: string) => x !== y && of(x).length > 0 && of(x).join() === of(y).join();
    const isUncle = (x: string, y: string) => of(y).some((parent) => siblings(x, parent));
    return [
      ...(of(b).includes(a) ? ['mother', 'father'] : []),
      ...(of(a).includes(b) ? ['daughter', 'son'] : []),
      ...(spouse.get(a) === b ? ['wife', 'husband'] : []),
      ...(siblings(a, b) ? ['sister', 'brother'] : []),
      ...(elders(b).includes(a) ? ['grandmother', 'grandfather'] : []),
      ...(isUncle(a, b) ? ['aunt', 'uncle'] : []),
      ...(isUncle(b, a) ? ['niece', 'nephew'] : []),
      ...(of(spouse.get(b) ?? '').includes(a) ? ['mother-in-law', 'father-in-law'] : []),
    ];
  }

  const FEMALE = /^(?:.*mother.*|daughter|wife|sister|aunt|niece)$/;

  it('families', () => {
    const seen = new Set<string>();
    const sexes = new Map<string, boolean>();
    for (const { question, answer, data } of problems(familyRelationships, 1500, { max_family_size: 14 })) {
      const [story = ''] = question.split('\n');
      const { person1, person2 } = data as { person1: string; person2: string };
      const told = readStory(story);
      const found = kinds(told, person1, person2);
      expect([question, found.includes(answer), found.length]).toEqual([question, true, 2]);
      const female = FEMALE.test(answer);
      expect([person1, sexes.get(person1) ?? female]).toEqual([person1, female]);
      sexes.set(person1, female);
      seen.add(answer);
    }
    expect([...seen].toSorted()).toEqual([...RELATIONS, 'aunt', 'uncle', 'niece', 'nephew'].toSorted());
  });

  it('statements about themselves', () => {
    const isPrime = (n: number) => [2, 3, 5, 7].includes(n);
    for (const { question, answer } of problems(selfReference, 300)) {
      const find = (pattern: RegExp) => Number(pattern.exec(question)?.[1]);
      const [a, b] = [find(/At least (\d) of/), find(/At most (\d) of/)];
      const [c, d] = [
        find(/Exactly (\d) of these 7 statements are t/),
        find(/Exactly (\d) of these 7 statements are f/),
      ];
      let ways = 0;
      for (let pattern = 0; pattern < 128; pattern++) {
        const called = Array.from({ length: 7 }, (_, i) => ((pattern >> i) & 1) === 1);
        const yes = called.filter(Boolean).length;
        const no = 7 - yes;
        const composite = no > 1 && !isPrime(no);
        const held = [
          yes >= a,
          no <= b,
          yes === c,
          no === d,
          called[2] !== called[3],
          isPrime(yes),
          composite,
        ];
        if (held.every((holds, i) => holds === called[i])) ways++;
      }
      expect([question, `${ways}`]).toEqual([question, answer]);
    }
  });

  it('haystacks have one needle', () => {
    expect(new Set([...NAMES, ...VERBS, ...THINGS]).size).toBe(NAMES.length + VERBS.length + THINGS.length);
    for (const { question, answer } of problems(needleHaystack, 200)) {
      const [text = '', asked = ''] = question.split('\n\n');
      const liking = /^Who (.*)\? /.exec(asked)?.[1] ?? '';
      const holding = text
        .split('. ')
        .filter((statement) => statement.replace(/\.$/, '').endsWith(` ${liking}`));
      expect([question, ...holding.map((statement) => statement.split(' ')[0])]).toEqual([question, answer]);
    }
  });

  it('groups of anagrams', () => {
    for (const { question, answer } of problems(groupAnagrams, 200)) {
      const words = JSON.parse(/Words: (.*)$/.exec(question)?.[1] ?? '') as string[];
      const given = JSON.parse(answer) as string[][];
      expect(given.flat().toSorted()).toEqual(words.toSorted());
      const letters = given.map(
        (group) => new Set(group.map((word) => Array.from(word).toSorted().join(''))),
      );
      expect(letters.every(({ size }) => size === 1)).toBe(true);
      expect(new Set(letters.map((set) => [...set][0])).size).toBe(given.length);
    }
  });
});

describe('scores, strict and upstream', () => {
  const scores = (task: GymTask, answer: string, metadata: unknown) => (candidate: string | null) =>
    (['strict', 'upstream'] as const).map((mode) =>
      task.grade({ question: '', answer, metadata }, candidate, mode),
    );

  const grouped = scores(groupAnagrams, '', {
    solution: [
      ['eat', 'tea'],
      ['nat', 'tan'],
    ],
  });
  /** Upstream's side follows from `json.loads` and `sorted` of CPython. */
  it.each([
    ['[["tan", "nat"], ["tea", "eat"]]', [1, 1]],
    [' [["eat","tea"],["nat","tan"]]\n', [1, 1]],
    ["[['eat', 'tea'], ['nat', 'tan']]", [1, 0]],
    ['[{"eat": 1, "tea": 2}, ["nat", "tan"]]', [0, 1]],
    ['[["eat", "tea"], ["tan"]]', [0, 0.01]],
    ['[["eat", "tea"], ["nat", "tan"], []]', [0, 0.01]],
    ['["eat", "tea"]', [0, 0.01]],
    ['"eat"', [0, 0.01]],
    ['{}', [0, 0.01]],
    ['[]', [0, 0.01]],
    ['[[null]]', [0, 0.01]],
    ['[[null, null]]', [0, 0]],
    ['[[null], []]', [0, 0]],
    ['[[1, "a"]]', [0, 0]],
    ['[[1], ["a"]]', [0, 0]],
    ['[[[1, 2], [1]], [[0.5]]]', [0, 0.01]],
    ['[1, 2]', [0, 0]],
    ['null', [0, 0]],
    ['[NaN]', [0, 0]],
    ['[[NaN, 1]]', [0, 0.01]],
    ['[["eat", "tea"], ["nat", "tan"]', [0, 0]],
    [`${'['.repeat(5000)}${']'.repeat(5000)}`, [0, 0]],
    ['', [0, 0]],
    [null, [0, 0]],
  ])('groups %s', (candidate, expected) => {
    expect(grouped(candidate)).toEqual(expected);
  });

  it('colours', () => {
    const colour = scores(colorCubeRotation, 'red', {});
    expect(colour(' RED\n')).toEqual([1, 1]);
    expect(colour('blue')).toEqual([0, 0.01]);
    expect(colour('')).toEqual([0, 0.01]);
    expect(colour(null)).toEqual([0, 0]);
  });

  it('relations, names and counts', () => {
    expect(scores(familyRelationships, 'mother-in-law', {})(' Mother-in-Law ')).toEqual([1, 1]);
    expect(scores(familyRelationships, 'mother', {})('the mother')).toEqual([0, 0]);
    expect(scores(needleHaystack, 'Ada', {})(' a d a ')).toEqual([0, 1]);
    expect(scores(needleHaystack, 'Ada', {})('ADA\n')).toEqual([1, 1]);
    expect(scores(selfReference, '2', {})(' 2\n')).toEqual([1, 0]);
    expect(scores(selfReference, '2', {})('2')).toEqual([1, 1]);
    expect(scores(selfReference, '2', {})('02')).toEqual([0, 0]);
    expect(scores(selfReference, '2', {})(null)).toEqual([0, 0]);
  });
});

it('turns a cube to the top, and four times back to where it was', () => {
  const cube = Object.fromEntries(SIDES.map((side) => [side, side])) as unknown as Cube;
  for (const turn of TURNED) {
    const once = turnCube(cube, turn);
    expect(once.top).toBe(turn);
    expect(new Set(Object.values(once)).size).toBe(6);
    expect([turn, turn, turn, turn].reduce(turnCube, cube)).toEqual(cube);
  }
  expect(turnCube(cube, 'front')).toEqual({
    ...cube,
    top: 'front',
    front: 'bottom',
    bottom: 'back',
    back: 'top',
  });
});

it('counts the puzzles of one difficulty', () => {
  for (const difficulty of [1, 10]) {
    const config = { ...selfReference.defaults, difficulty };
    const seen = new Set<string>();
    for (let index = 0; index < 8000; index++)
      seen.add(selfReference.generate(4, index % 5 === 0 ? 'eval' : 'train', index, config).question);
    const space = selfReference.space(config);
    expect(space).not.toBeNull();
    expect(seen.size).toBeLessThanOrEqual(space ?? 0);
    expect(seen.size).toBeGreaterThan(0.9 * (space ?? 0));
  }
});
