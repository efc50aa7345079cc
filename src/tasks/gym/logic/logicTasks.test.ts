import { describe, expect, it } from 'vitest';
import { referenceItems } from '../../testing/gymConformance.ts';
import { distributionGaps, type ComparedItem } from '../../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { drawsFor } from '@rl-playground/base/random';
import type { TaskConfig } from '../../define/types.ts';
import type { GymTask } from '../shared/define.ts';
import { atomsOf, entails, type Formula, readFormula, truthTable } from './formula.ts';
import { knightsKnaves } from './knightsKnaves.ts';
import { type Claim, claimSigns, drawClaim, holds, solutions } from './knightsStatements.ts';
import { propositionalLogic } from './propositionalLogic.ts';
import { syllogism, chained, CONVERSES, QUANTIFIERS, type Quantifier, readStatement } from './syllogism.ts';

const is = (name: string, value: unknown) => (item: ComparedItem) => (item.metadata[name] === value ? 1 : 0);
const signs = (sign: string) => (item: ComparedItem) =>
  (item.metadata['premises'] as string[]).join('').split(sign).length - 1;
const statement = (sign: string) => (item: ComparedItem) =>
  (item.metadata['statements'] as Claim[]).filter(([kind]) => kind === sign).length;

describeShared('against the reference items', 'refdata/rg', (folder) => {
  const cases: readonly [GymTask, Record<string, (item: ComparedItem) => number>][] = [
    [
      syllogism,
      {
        yes: ({ answer }) => (answer === 'Yes' ? 1 : 0),
        inversion: is('type', 'inversion'),
        // Upstream's two wrong forms change what the statements of syllogisms look like, but not of inversions.
        'quantifier of an inversion': ({ metadata }) =>
          metadata['type'] === 'inversion' && String(metadata['premise1']).startsWith('All') ? 1 : 0,
        'kinds from a to f': ({ metadata }) => (/^\w+ [a-f]/.test(String(metadata['premise1'])) ? 1 : 0),
      },
    ],
    [
      propositionalLogic,
      {
        premises: ({ metadata }) => (metadata['premises'] as string[]).length,
        variables: ({ metadata }) => (metadata['variables'] as string[]).length,
        // Upstream may draw premises that contradict each other, which are a little longer.
        'bare variables': ({ metadata }) =>
          (metadata['premises'] as string[]).filter((premise) => premise.length === 1).length,
        and: signs('∧'),
        or: signs('∨'),
        not: signs('¬'),
        implies: signs('→'),
        iff: signs('↔'),
      },
    ],
    [
      knightsKnaves,
      {
        ...Object.fromEntries(
          ['telling-truth', 'lying', 'not', 'and', 'or', '->', '<=>'].map((sign) => [sign, statement(sign)]),
        ),
        'truth-tellers': ({ metadata }) => (metadata['solution'] as boolean[]).filter(Boolean).length,
        'the first tells the truth': ({ metadata }) => ((metadata['solution'] as boolean[])[0] ? 1 : 0),
      },
    ],
  ];

  it.each(cases)('$name draws what upstream draws', (task, statistics) => {
    const gaps = distributionGaps(task, folder, statistics);
    expect(Object.entries(gaps).filter(([, gap]) => !(gap < 5))).toEqual([]);
  });

  it('solves the puzzles of upstream', () => {
    const items = referenceItems(folder, 'knights_knaves');
    expect(items.length).toBeGreaterThan(100);
    for (const { metadata } of items) {
      const { statements, solution } = metadata as { statements: Claim[]; solution: boolean[] };
      expect(solutions(statements)).toEqual([solution]);
    }
  });

  it('labels syllogisms as upstream does, but for its two wrong forms', () => {
    const differing = referenceItems(folder, 'syllogism').flatMap(({ metadata, answer }) => {
      const { premise1, premise2, conclusion, type } = metadata as Record<string, string>;
      const [first, second, asked] = [premise1, premise2, conclusion].map((text) =>
        readStatement(text ?? ''),
      );
      if (!first || !second || !asked) throw new Error(`${premise1} can't be read.`);
      const from = asked.predicate === first.subject ? first : second;
      const follows =
        type === 'inversion' ? CONVERSES[from.quantifier] : chained(first.quantifier, second.quantifier);
      const form = `${first.quantifier} ${second.quantifier} ${asked.quantifier}`;
      return follows.includes(asked.quantifier) === (answer === 'Yes') ? [] : [`${form} ${answer}`];
    });
    expect([...new Set(differing)].toSorted()).toEqual(['all some some Yes', 'all some_not some_not Yes']);
  });
});

describe('syllogisms', () => {
  type Kinds = readonly [number, number, number];

  /** The truth of a statement about kinds; a kind is a set of members, one bit for each. */
  const TRUE: Readonly<Record<Quantifier, (subject: number, predicate: number) => boolean>> = {
    all: (subject, predicate) => (subject & ~predicate) === 0,
    no: (subject, predicate) => (subject & predicate) === 0,
    some: (subject, predicate) => (subject & predicate) !== 0,
    some_not: (subject, predicate) => (subject & ~predicate) !== 0,
  };

  /** All ways in which three kinds, none of them empty, can overlap: four members show every difference that matters. */
  const models: Kinds[] = [];
  for (let a = 1; a < 16; a++)
    for (let b = 1; b < 16; b++) for (let c = 1; c < 16; c++) models.push([a, b, c]);
  const always = (premise: (kinds: Kinds) => boolean, conclusion: (kinds: Kinds) => boolean): boolean =>
    models.every((kinds) => !premise(kinds) || conclusion(kinds));

  it('conclude what holds in every model, and nothing else', () => {
    for (const first of QUANTIFIERS)
      for (const second of QUANTIFIERS)
        for (const third of QUANTIFIERS) {
          const truth = always(
            ([a, b, c]) => TRUE[first](a, b) && TRUE[second](b, c),
            ([a, , c]) => TRUE[third](a, c),
          );
          expect([first, second, third, chained(first, second).includes(third)]).toEqual([
            first,
            second,
            third,
            truth,
          ]);
        }
  });

  it('turn statements around as every model allows', () => {
    for (const given of QUANTIFIERS)
      for (const turned of QUANTIFIERS) {
        const truth = always(
          ([a, b]) => TRUE[given](a, b),
          ([a, b]) => TRUE[turned](b, a),
        );
        expect([given, turned, CONVERSES[given].includes(turned)]).toEqual([given, turned, truth]);
      }
  });

  it.each<TaskConfig>([
    { allow_all: false, allow_no: false, allow_some: false },
    { allow_all: false, allow_no: false, allow_some_not: false, invalid_ratio: 0 },
    { allow_no: false, allow_some: false, allow_some_not: false, invalid_ratio: 1 },
  ])('label what the allowed statements leave: %j', (change) => {
    const config = { ...syllogism.defaults, ...change };
    for (let index = 0; index < 100; index++) {
      const { data } = syllogism.generate(1, 'train', index, config);
      const { premise1, premise2, conclusion, is_valid, type } = data as Record<string, string | boolean>;
      const [first, second, asked] = [premise1, premise2, conclusion].map((text) => readStatement(`${text}`));
      if (!first || !second || !asked) throw new Error(`${premise1} can't be read.`);
      const from = asked.predicate === first.subject ? first : second;
      const follows =
        type === 'inversion' ? CONVERSES[from.quantifier] : chained(first.quantifier, second.quantifier);
      expect(is_valid).toBe(follows.includes(asked.quantifier));
    }
  });
});

describe('formulas', () => {
  /** Truth of a formula where the named atoms are true, by its definition. */
  function truth(formula: Formula, yes: ReadonlySet<string>): boolean {
    if (formula.kind === 'atom') return yes.has(formula.name);
    if (formula.kind === 'not') return !truth(formula.operand, yes);
    const [left, right] = [truth(formula.left, yes), truth(formula.right, yes)];
    if (formula.operator === '∧') return left && right;
    if (formula.operator === '∨') return left || right;
    return formula.operator === '→' ? !left || right : left === right;
  }

  it.each([
    'P',
    '¬(P ∧ Q)',
    'P → Q → P',
    'P ∨ Q ∧ R ↔ ¬S',
    '((P ↔ Q) ∨ (R → ¬(S ∧ T))) ∧ (U → P)',
    'A ∧ B ∨ C ∧ D ∨ E ∧ F ∨ G',
  ])('%s has the truth table of its definition', (text) => {
    const formula = readFormula(text);
    if (formula === null) throw new Error(`${text} can't be read.`);
    const atoms = [...atomsOf(formula)];
    const table = truthTable(formula, atoms);
    for (let assignment = 0; assignment < 2 ** atoms.length; assignment++) {
      const yes = new Set(atoms.filter((_, i) => (assignment >> i) % 2 === 1));
      const bit = ((table[assignment >> 5] ?? 0) >>> (assignment & 31)) & 1;
      expect([assignment, bit === 1]).toEqual([assignment, truth(formula, yes)]);
    }
  });

  it.each(['', '()', '∧', 'P ∧', '¬', '(P) ∧ ()'])('%j is none', (text) => {
    expect(readFormula(text)).toBeNull();
  });

  it('follow from each other as they should', () => {
    const table = (text: string) => truthTable(readFormula(text) ?? { kind: 'atom', name: '?' }, ['P', 'Q']);
    expect(entails([table('P → Q'), table('P')], table('Q'))).toBe(true);
    expect(entails([table('P → Q'), table('Q')], table('P'))).toBe(false);
    expect(entails([], table('P ∨ ¬P'))).toBe(true);
  });

  const entry = {
    question: '',
    answer: null,
    metadata: { premises: ['(P → Q)', 'P'], variables: ['P', 'Q'] },
  };
  it.each([
    ['(P ∧ Q)', 1, 1],
    ['(P ∨ Q)', 1, 1],
    // What one variable says, concluded and given.
    ['Q', 0.25, 0.25],
    ['(Q ∧ Q)', 1, 0.25],
    ['P', 0.25, 0],
    ['¬¬P', 1, 0],
    // A premise over again.
    ['(P → Q)', 1, 0],
    ['(¬Q → ¬P)', 1, 0],
    // True in any case.
    ['(P ∨ ¬P)', 0.25, 0],
    // No conclusion, and no formula.
    ['¬Q', 0.05, 0],
    ['p', 0.05, 0],
    ['Q, of course', 0.05, 0],
    ['R', 0, 0],
  ])('the conclusion %s earns %d upstream, %d in strict mode', (text, upstream, strict) => {
    expect(propositionalLogic.grade(entry, text, 'upstream')).toBe(upstream);
    expect(propositionalLogic.grade(entry, text, 'strict')).toBe(strict);
  });

  it('has premises that can all be true', () => {
    for (let index = 0; index < 300; index++) {
      const { data } = propositionalLogic.generate(2, 'train', index, propositionalLogic.defaults);
      const { premises, variables } = data as { premises: string[]; variables: string[] };
      const formulas = premises.map(
        (premise) => readFormula(premise) ?? { kind: 'atom' as const, name: '?' },
      );
      const possible = Array.from({ length: 2 ** variables.length }, (_, assignment) =>
        variables.filter((_each, i) => (assignment >> i) % 2 === 1),
      ).some((yes) => formulas.every((formula) => truth(formula, new Set(yes))));
      expect(possible).toBe(true);
    }
  });
});

describe('knights and knaves', () => {
  it('says what its signs say', () => {
    const draw = drawsFor(4);
    const settings = { n_people: 3, depth_constraint: 3, width_constraint: 3 };
    for (let i = 0; i < 300; i++) {
      const claim = drawClaim(draw, 0, settings);
      const formula = readFormula(claimSigns(claim, (person) => `P${person}`));
      if (formula === null) throw new Error('The signs are no formula.');
      const table = truthTable(formula, ['P0', 'P1', 'P2']);
      for (let world = 0; world < 8; world++) {
        const truthful = [0, 1, 2].map((person) => (world >> person) % 2 === 1);
        expect([claim, (((table[0] ?? 0) >>> world) & 1) === 1]).toEqual([claim, holds(claim, truthful)]);
      }
    }
  });

  const entry = { question: '', answer: 'Zoey is a fool, and Riley is a sage.', metadata: {} };
  it.each([
    ['Riley is a sage and Zoey is a fool', 1, 1],
    ['Zoey is a sage, and Riley is a sage.', 0.65, 0.65],
    ['Zoey is not a sage, and Riley is a sage', 0.65, 0],
    ['Zoey is a fool, Riley is a sage, Zoey is a fool', 1, 0],
    ['Bob is a fool, and Riley is a sage', 0.65, 0],
    ['Answer: Zoey is a fool, and Riley is a sage', 1, 0],
  ])('%s earns %d upstream, %d in strict mode', (text, upstream, strict) => {
    expect(knightsKnaves.grade(entry, text, 'upstream')).toBeCloseTo(upstream, 9);
    expect(knightsKnaves.grade(entry, text, 'strict')).toBeCloseTo(strict, 9);
  });

  it('works through the ways in which two people can be, up to the one that fits', () => {
    for (let index = 0; index < 200; index++) {
      const problem = knightsKnaves.generate(8, 'train', index, knightsKnaves.defaults);
      const { solution } = problem.data as { solution: boolean[] };
      const ways = knightsKnaves.workedAnswer(problem).split('\n').slice(0, -1);
      expect(ways.at(-1)).toMatch(
        new RegExp(`^${solution.map((yes) => (yes ? 'T' : 'F')).join('')} .* yes$`),
      );
      expect(ways.slice(0, -1).every((way) => way.endsWith(' no'))).toBe(true);
    }
  });
});
