import { describe, expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { worstDifference } from '../testing/accuracy.ts';
import {
  centredAdvantages,
  decoupledAdvantages,
  isMixed,
  keptGroups,
  scaledAdvantages,
  type Baseline,
  updatedBaseline,
} from './advantages.ts';
import { FLOAT32 } from './float32.ts';

/** Published numbers have seven digits. */
const PUBLISHED = 1e-7;

const GROUP: Baseline = { kind: 'group' };
const LEAVE_ONE_OUT: Baseline = { kind: 'leave_one_out' };

/** Largest difference; Infinity where rows differ in number or length. */
function apart(found: readonly (readonly number[])[], expected: readonly (readonly number[])[]): number {
  const lengths = (rows: readonly (readonly number[])[]): string => rows.map((row) => row.length).join();
  return lengths(found) === lengths(expected) ? worstDifference(found.flat(), expected.flat()) : Infinity;
}

/** Groups of 1 to 9 rewards of several kinds, some of them constant. */
function randomGroups(seed: number): number[][] {
  const draw = drawsFor(seed);
  const reward = (kind: number): number => {
    if (kind === 0) return draw() < 0.5 ? 1 : 0;
    if (kind === 1) return 4 * draw() - 2;
    return kind === 2 ? ([1, 0.9, 0, -0.1][Math.floor(4 * draw())] ?? NaN) : 0.1;
  };
  return Array.from({ length: 24 }, (_, i) =>
    Array.from({ length: i % 8 === 7 ? 1 : 2 + Math.floor(8 * draw()) }, () => reward(i % 4)),
  );
}

describe('published examples', () => {
  test('the Tinker cookbook centres each group on its own mean', () => {
    const rewards = [
      [1, 1, -0.1, -0.1],
      [1, 0.9, 0, -0.1],
      [-0.1, 0, -0.1, -0.1],
    ];
    const centred = centredAdvantages(rewards, GROUP);
    expect(
      apart(scaledAdvantages(centred, rewards, 'none'), [
        [0.55, 0.55, -0.55, -0.55],
        [0.55, 0.45, -0.45, -0.55],
        [-0.025, 0.075, -0.025, -0.025],
      ]),
    ).toBeLessThan(PUBLISHED);
  });

  test('TRL divides by σ + 1e-4', () => {
    const rewards = [
      [1, 0, 0, 1],
      [2, 1.25, 0.25, 1],
    ];
    expect(
      apart(scaledAdvantages(centredAdvantages(rewards, GROUP), rewards, 'group'), [
        [0.8658754, -0.8658754, -0.8658754, 0.8658754],
        [1.2122676, 0.1731811, -1.2122676, -0.1731811],
      ]),
    ).toBeLessThan(PUBLISHED);
  });

  test('the Monarch system subtracts one number from every reward', () => {
    expect(centredAdvantages([[1, -1], [0]], { kind: 'moving', value: 0.5 })).toEqual([[0.5, -1.5], [-0.5]]);
  });
});

describe('centredAdvantages', () => {
  test.each([1, 2, 3])('group and leave-one-out, reward by reward, groups of any sizes (%i)', (seed) => {
    const rewards = randomGroups(seed);
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(
      apart(
        centredAdvantages(rewards, GROUP),
        rewards.map((rewardsG) => rewardsG.map((reward) => reward - mean(rewardsG))),
      ),
    ).toBeLessThan(PUBLISHED);
    expect(
      apart(
        centredAdvantages(rewards, LEAVE_ONE_OUT),
        rewards.map((rewardsG) =>
          rewardsG.map((reward, g) => {
            const others = rewardsG.filter((_, other) => other !== g);
            return others.length === 0 ? reward : reward - mean(others);
          }),
        ),
      ),
    ).toBeLessThan(PUBLISHED);
    expect(centredAdvantages(rewards, { kind: 'none' })).toEqual(rewards);
  });

  test('a group of one: nothing under its own mean, its reward where the others’ mean is asked for', () => {
    expect(centredAdvantages([[0.7]], GROUP)).toEqual([[0]]);
    expect(centredAdvantages([[0.7]], LEAVE_ONE_OUT)).toEqual([[0.7]]);
  });

  test('is exactly 0 in a group of equal rewards, divided or not', () => {
    for (const reward of [0.1, 1, -1, 0.3, 1 / 3])
      for (const size of [2, 3, 5, 7, 16]) {
        const rewards = [Array.from({ length: size }, () => reward)];
        const zeros = [Array.from({ length: size }, () => 0)];
        for (const baseline of [GROUP, LEAVE_ONE_OUT]) {
          const centred = centredAdvantages(rewards, baseline);
          expect(centred).toEqual(zeros);
          for (const scale of ['none', 'group', 'batch'] as const)
            expect(scaledAdvantages(centred, rewards, scale)).toEqual(zeros);
        }
      }
  });
});

describe('scaledAdvantages', () => {
  test.each([1, 2, 3])('by the σ of the group, of the batch, or not, under every baseline (%i)', (seed) => {
    const rewards = randomGroups(seed);
    const sigma = (values: readonly number[]): number => {
      const centre = values.reduce((sum, value) => sum + value / values.length, 0);
      const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
      return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
    };
    const whole = sigma(rewards.flat());
    for (const baseline of [
      GROUP,
      LEAVE_ONE_OUT,
      { kind: 'moving', value: 0.4 },
      { kind: 'none' },
    ] as const) {
      const centred = centredAdvantages(rewards, baseline);
      const dividedBy = (of: (rewardsG: readonly number[]) => number): number[][] =>
        centred.map((advantages, p) => advantages.map((advantage) => advantage / of(rewards[p] ?? [])));
      expect(apart(scaledAdvantages(centred, rewards, 'none'), centred)).toBeLessThan(PUBLISHED);
      expect(
        apart(
          scaledAdvantages(centred, rewards, 'batch'),
          dividedBy(() => whole + 1e-4),
        ),
      ).toBeLessThan(PUBLISHED);
      const mixed = rewards.map((rewardsG) => sigma(rewardsG) > 1e-9);
      const onlyMixed = (rows: readonly number[][]): number[][] => rows.filter((_, p) => mixed[p]);
      expect(
        apart(
          onlyMixed(scaledAdvantages(centred, rewards, 'group')),
          onlyMixed(dividedBy((rewardsG) => sigma(rewardsG) + 1e-4)),
        ),
      ).toBeLessThan(PUBLISHED);
    }
  });

  test('equal rewards have no scale: under a baseline that is not theirs they keep the advantage they have', () => {
    const rewards = [[-1, -1], [-1]];
    const centred = centredAdvantages(rewards, { kind: 'moving', value: 0.5 });
    for (const scale of ['group', 'batch'] as const)
      expect(scaledAdvantages(centred, rewards, scale)).toEqual([[-1.5, -1.5], [-1.5]]);
  });

  // 0.9 in f32 is 15099494 · 2^-24; the sum of three, 45298482, is rounded to 45298480, and its third, 15099493.33, to 15099493.
  test('in f32 equal rewards may miss their mean by a unit, which is divided by 1e-4', () => {
    const rewards = [[0.9, 0.9, 0.9].map(Math.fround)];
    const centred = centredAdvantages(rewards, GROUP, FLOAT32);
    expect(centred).toEqual([[2 ** -24, 2 ** -24, 2 ** -24]]);
    const sigma = Math.sqrt(1.5) * 2 ** -24;
    const missed = 2 ** -24 / (sigma + 1e-4);
    const scaled = scaledAdvantages(centred, rewards, 'group', FLOAT32);
    expect(apart(scaled, [[missed, missed, missed]])).toBeLessThan(PUBLISHED * missed);
    expect(scaledAdvantages(centredAdvantages(rewards, GROUP), rewards, 'group')).toEqual([[0, 0, 0]]);
  });
});

describe('updatedBaseline', () => {
  test('moves by the share that is not kept: 0.9 · 0.5 + 0.1 · mean(1, −1) = 0.45', () => {
    expect(updatedBaseline(0.5, [[1], [-1]], 0.9)).toBeCloseTo(0.45, 12);
    expect(
      updatedBaseline(
        0.5,
        [
          [1, 1],
          [1, -1],
        ],
        0.9,
      ),
    ).toBeCloseTo(0.5, 12);
    expect(updatedBaseline(0.5, [[1]], 0)).toBe(1);
  });

  test('is the mean over answers, not over groups', () => {
    expect(updatedBaseline(0, [[1], [0, 0, 0]], 0)).toBe(0.25);
  });

  test('where every reward is −1 it goes −1 + 1.5 · 0.9^k, below −0.9 after 26 steps', () => {
    const values = [0.5];
    for (let k = 1; k <= 40; k++)
      values.push(
        updatedBaseline(
          values.at(-1) ?? NaN,
          [
            [-1, -1],
            [-1, -1],
          ],
          0.9,
        ),
      );
    expect(values.slice(0, 3).map((value) => +value.toFixed(12))).toEqual([0.5, 0.35, 0.215]);
    expect(
      worstDifference(
        values,
        values.map((_, k) => -1 + 1.5 * 0.9 ** k),
      ),
    ).toBeLessThan(1e-12);
    expect(values.findIndex((value) => value < -0.9)).toBe(26);
  });
});

describe('groups', () => {
  const rewards = [[1, 1], [1, -1], [-0.1, -0.1, -0.1], [-0.1, 0], [1]];

  test('are mixed where rewards differ', () => {
    expect(rewards.map(isMixed)).toEqual([false, true, false, true, false]);
  });

  test('are all kept, or only the mixed ones', () => {
    expect(keptGroups(rewards, false)).toEqual([0, 1, 2, 3, 4]);
    expect(keptGroups(rewards, true)).toEqual([1, 3]);
    expect(keptGroups([[1, 1]], true, false)).toEqual([]);
  });

  test('where all are constant the first stays alone', () => {
    expect(
      keptGroups(
        [
          [1, 1],
          [0, 0],
          [-1, -1],
        ],
        true,
      ),
    ).toEqual([0]);
    expect(
      keptGroups(
        [
          [1, 1],
          [0, 0],
        ],
        false,
      ),
    ).toEqual([0, 1]);
    expect(keptGroups([], true)).toEqual([]);
  });
});

describe('parts of the reward compared by themselves', () => {
  test('each within its group, then the sums over the batch', () => {
    // Part 1: ±1 / (√2 + ε) in the first group, 0 in the second; part 2, ten times as large, the other way about.
    const parts = [
      [
        [1, 0],
        [-1, 0],
      ],
      [
        [5, 10],
        [5, -10],
      ],
    ];
    const first = 1 / (Math.SQRT2 + 1e-4);
    const second = 10 / (10 * Math.SQRT2 + 1e-4);
    const sigma = Math.sqrt((2 * first ** 2 + 2 * second ** 2) / 3);
    const expected = [
      [first, -first],
      [second, -second],
    ].map((group) => group.map((sum) => sum / (sigma + 1e-4)));
    decoupledAdvantages(parts).forEach((group, p) =>
      group.forEach((advantage, g) => expect(advantage).toBeCloseTo(expected[p]?.[g] ?? NaN, 12)),
    );
  });

  test('weights count after each part was brought to the same spread', () => {
    const parts = [
      [
        [1, 7],
        [0, 9],
      ],
    ];
    const [[good = NaN, bad = NaN] = []] = decoupledAdvantages(parts, [2, 1]);
    expect(good).toBeGreaterThan(0);
    expect(good).toBeCloseTo(-bad, 12);
    const [[other = NaN] = []] = decoupledAdvantages(parts, [1, 2]);
    expect(other).toBeLessThan(0);
  });

  test('a part that an answer lacks is neither in the mean nor in the sum', () => {
    const [group = []] = decoupledAdvantages([
      [
        [1, null],
        [0, 3],
        [1, 3],
      ],
    ]);
    const [plain = []] = decoupledAdvantages([[[1], [0], [1]]]);
    group.forEach((advantage, g) => expect(advantage).toBeCloseTo(plain[g] ?? NaN, 12));
  });

  test('equal answers have the advantage 0', () => {
    expect(
      decoupledAdvantages([
        [
          [0.1, 2],
          [0.1, 2],
        ],
      ]),
    ).toEqual([[0, 0]]);
  });
});
