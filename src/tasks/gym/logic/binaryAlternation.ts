import { countOf } from '../../python/text.ts';
import { choose } from '../../define/wholeNumbers.ts';
import { defineGymTask, real, whole } from '../shared/define.ts';
import { shuffled, uniformInt, type Draw } from '@rl-playground/base/random';

const IMPOSSIBLE = -1;
/** The longest text for which problems are counted; longer ones are more than 2,000. */
const LONGEST_COUNTED = 16;

const everySecond = (text: string, from: number): string =>
  Array.from(text)
    .filter((_, i) => i % 2 === from)
    .join('');

/**
 * The wrong digits at odd and at even places, for 0101… and for 1010…. A swap mends one of each, so a pair of equal numbers is a number of
 * swaps.
 */
function misplaced(text: string): [odd: number, even: number][] {
  const [odd, even] = [everySecond(text, 0), everySecond(text, 1)];
  return [
    [countOf(odd, '1'), countOf(even, '0')],
    [countOf(odd, '0'), countOf(even, '1')],
  ];
}

function fewestSwaps(text: string): number {
  const possible = misplaced(text).filter(([odd, even]) => odd === even);
  return possible.length === 0 ? IMPOSSIBLE : Math.min(...possible.map(([swaps]) => swaps));
}

/** The digits with the ones and zeros so far, as in `110 011`. */
function tally(digits: string): string {
  return Array.from(digits, (digit, i) => {
    const upTo = digits.slice(0, i + 1);
    return `${digit}${countOf(upTo, '1')}${countOf(upTo, '0')}`;
  }).join(' ');
}

function drawText(draw: Draw, length: number, solvable: boolean): string {
  const half = Math.floor(length / 2);
  const [few, many] = [half, half + (length % 2)];
  const [common, rare] = draw() < 0.5 ? ['1', '0'] : ['0', '1'];
  // One too many where the length is odd, two where it is even: no order alternates.
  const extra = solvable ? 0 : length % 2 === 1 ? 1 : 2;
  return shuffled(draw, Array.from(common.repeat(many + extra) + rare.repeat(few))).join('');
}

const lengthHelp = (which: string) =>
  `Length of the ${which} text; an impossible one is longer by one or two.`;

export const binaryAlternation = defineGymTask({
  name: 'binary_alternation',
  title: 'Alternating bits',
  summary: 'Count the swaps that make zeros and ones alternate.',
  family: 'logic',
  fields: {
    min_n: whole('Fewest digits', lengthHelp('shortest'), 1, 200, 10),
    max_n: whole('Most digits', lengthHelp('longest'), 1, 200, 30),
    p_solvable: real(
      'Share that can be solved',
      'In the others no order alternates, and the answer is −1.',
      0,
      1,
      0.8,
    ),
  },
  levels: [
    { min_n: 8, max_n: 12 },
    { min_n: 10, max_n: 16 },
    { min_n: 10, max_n: 20 },
    {},
    { min_n: 30, max_n: 50 },
  ],
  space({ min_n, max_n, p_solvable }) {
    if (max_n > LONGEST_COUNTED) return null;
    const lengths = Array.from({ length: max_n - min_n + 1 }, (_, i) => min_n + i);
    const impossible = new Set(lengths.map((n) => n + (n % 2 === 1 ? 1 : 2)));
    let total = 0;
    if (p_solvable > 0) for (const n of lengths) total += (1 + (n % 2)) * choose(n, Math.floor(n / 2));
    if (p_solvable < 1) for (const n of impossible) total += 2 * choose(n, n / 2 - 1);
    return total;
  },
  draw(draw, { min_n, max_n, p_solvable }) {
    const length = uniformInt(draw, min_n, max_n);
    const text = drawText(draw, length, draw() < p_solvable);
    return {
      question: `A text of zeros and ones alternates if no two neighbours are the same: 010 and 1010 do, 0100 does not.\nA swap exchanges any two digits of the text, neighbours or not. What is the smallest number of swaps that makes this text alternate? Answer with the number, or with -1 if that is impossible.\n${text}`,
      compact: `binary_alternation ${text}`,
      key: text,
      answer: `${fewestSwaps(text)}`,
      data: { string: text },
    };
  },
  steps({ data: { string } }) {
    const halves = [0, 1].map((from) => tally(everySecond(string, from)));
    const pairs = misplaced(string).map((pair) => pair.join(' '));
    return [...halves, pairs.join(', ')].join('\n');
  },
});
