import { uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { gcd, multisets } from '../../define/wholeNumbers.ts';
import { textScore } from '../shared/scoring.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The number of ways in which the dice show each total; the index is the total. */
function waysToTotals(dice: readonly number[]): bigint[] {
  let ways = [1n];
  for (const sides of dice) {
    const next = Array<bigint>(ways.length + sides).fill(0n);
    for (const [total, count] of ways.entries()) {
      for (let face = 1; face <= sides; face++) next[total + face] = (next[total + face] ?? 0n) + count;
    }
    ways = next;
  }
  return ways;
}

/** The totals that are asked for lie in the middle third of those there are. */
function targetsOf(dice: readonly number[]): { low: number; high: number } {
  const range = sum(dice) - dice.length;
  return { low: dice.length + Math.floor(range / 3), high: dice.length + Math.floor((2 * range) / 3) };
}

export const dice = defineGymTask({
  name: 'dice',
  title: 'Dice',
  summary: 'Give the probability of a total or more with several dice, as a fraction.',
  family: 'arithmetic',
  fields: {
    num_dice: whole('Dice', 'How many dice are rolled.', 1, 10, 4),
    max_dice_size: whole('Most sides', 'Sides of the largest of the dice.', 2, 100, 20),
  },
  levels: [
    { num_dice: 2, max_dice_size: 10 },
    { num_dice: 2 },
    { num_dice: 3 },
    {},
    { num_dice: 5, max_dice_size: 25 },
    { num_dice: 7, max_dice_size: 35 },
  ],
  space({ num_dice, max_dice_size }) {
    const usual = [max_dice_size, ...Array<number>(num_dice - 1).fill((max_dice_size + 1) / 2)];
    const { low, high } = targetsOf(usual);
    return multisets(Math.max(1, max_dice_size - 2), num_dice - 1) * (high - low + 1);
  },
  draw(draw, { num_dice, max_dice_size }) {
    const others = Array.from({ length: num_dice - 1 }, () =>
      uniformInt(draw, 2, Math.max(2, max_dice_size - 1)),
    );
    const sides = [max_dice_size, ...others].toSorted((a, b) => b - a);
    const { low, high } = targetsOf(sides);
    const target = uniformInt(draw, low, high);
    const ways = waysToTotals(sides)
      .slice(target)
      .reduce((all, count) => all + count, 0n);
    const outcomes = sides.reduce((product, each) => product * BigInt(each), 1n);
    const common = gcd(ways, outcomes);
    const [numerator, denominator] = [`${ways / common}`, `${outcomes / common}`];
    const names = sides.map((each) => `1d${each}`).join(', ');
    return {
      question: `You roll these dice together: ${names} (1d6 is one die with six sides). How likely is a total of ${target} or more? Answer with a fraction in lowest terms, such as 1/60.`,
      compact: `dice ${names} >= ${target}`,
      key: `${names} ${target}`,
      answer: `${numerator}/${denominator}`,
      data: { puzzle: { dice_str: names, target, num: Number(numerator), den: Number(denominator) } },
    };
  },
  scoreAnswer(candidate, { answer }, mode) {
    if (mode === 'strict') return textScore(candidate, answer, mode);
    const plain = (text: string) => text.toLowerCase().replaceAll('\n', '');
    return plain(candidate) === plain(answer) ? 1 : 0;
  },
});
