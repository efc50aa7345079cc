import { choose, sumOver } from '../../define/wholeNumbers.ts';
import { pythonFraction } from '@rl-playground/base/pythonNumbers';
import { stripSpace } from '../../python/text.ts';
import { pick, uniformInt } from '@rl-playground/base/random';
import { defineGymTask, flag, whole } from '../shared/define.ts';
import { divideExactly, generalFormat } from '../shared/floatText.ts';

const DIGITS = 10;
/** The largest errors: upstream's absolute one, and ours in proportion. */
const [TOLERANCE, RELATIVE_TOLERANCE] = [1e-4, 0.01];

function waysOf(trials: number, heads: number, kind: string): number {
  return sumOver(heads, kind === 'at_least' ? trials : heads, (count) => choose(trials, count));
}

/** Python's `float(Fraction(text))`, or null if it is no number. Throws if it is too large. */
function readProbability(text: string): number | null {
  const ratio = pythonFraction(text);
  return ratio && divideExactly(ratio.numerator, ratio.denominator);
}

/** The common start of two texts, as a share of the shorter one. */
function commonStart(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  let same = 0;
  while (same < shorter && left.charAt(same) === right.charAt(same)) same++;
  return same / shorter;
}

function upstreamScore(candidate: string, answer: string): number {
  if (stripSpace(candidate) === '') return 0;
  const given = readProbability(candidate.replaceAll(',', ''));
  const truth = given === null ? null : readProbability(answer.replaceAll(',', ''));
  if (given === null || truth === null) return 0;
  if (Math.abs(given - truth) <= TOLERANCE) return 1;
  return commonStart(generalFormat(given, DIGITS), generalFormat(truth, DIGITS));
}

/** A decimal number or a fraction, close to the truth for its size as well. */
function strictScore(candidate: string, answer: string): number {
  const text = stripSpace(candidate);
  if (text.length > 60 || !/^(?:\d+\/\d+|\d*\.?\d+(?:e-\d{1,3})?)$/i.test(text)) return 0;
  const [given, truth] = [text, answer].map(readProbability);
  if (given === null || given === undefined || truth === null || truth === undefined) return 0;
  return Math.abs(given - truth) <= Math.min(TOLERANCE, RELATIVE_TOLERANCE * truth) ? 1 : 0;
}

export const coinFlip = defineGymTask({
  name: 'coin_flip',
  title: 'Coin flips',
  summary: 'Give the probability of so many heads, such as at least 2 in 5 flips.',
  family: 'arithmetic',
  fields: {
    min_trials: whole('Fewest flips', 'Fewest flips of the coin.', 1, 50, 3),
    max_trials: whole('Most flips', 'Most flips of the coin.', 1, 50, 15),
    allow_exact: flag('Exactly', 'Whether problems ask for exactly so many heads.', true),
    allow_at_least: flag('At least', 'Whether problems ask for so many heads or more.', true),
  },
  levels: [
    { max_trials: 4, allow_at_least: false },
    { max_trials: 5 },
    { max_trials: 8 },
    {},
    { min_trials: 10, max_trials: 30 },
  ],
  checkConfig: ({ allow_exact, allow_at_least }) =>
    allow_exact || allow_at_least
      ? null
      : 'allow_exact: both kinds of problems are off and one is needed; turn on allow_exact or allow_at_least.',
  space: ({ min_trials, max_trials, allow_exact, allow_at_least }) =>
    sumOver(min_trials, max_trials, (trials) => trials + 1) * (Number(allow_exact) + Number(allow_at_least)),
  draw(draw, config) {
    const trials = uniformInt(draw, config.min_trials, config.max_trials);
    const kinds = [...(config.allow_exact ? ['exact'] : []), ...(config.allow_at_least ? ['at_least'] : [])];
    const kind = pick(draw, kinds);
    const heads = uniformInt(draw, 0, trials);
    const ways = waysOf(trials, heads, kind);
    const words = kind === 'exact' ? 'exactly' : 'at least';
    return {
      question: `A fair coin is flipped ${trials} times. How likely is it to show heads ${words} ${heads} times? Answer with the probability as a decimal number.`,
      compact: `coin_flip ${words} ${heads} of ${trials}`,
      key: `${kind} ${heads} ${trials}`,
      answer: generalFormat(ways * 0.5 ** trials, DIGITS),
      data: {
        num_trials: trials,
        k_heads: heads,
        problem_type: kind,
        rational: { numerator: ways, denominator: 2 ** trials },
      },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) =>
    mode === 'upstream' ? upstreamScore(candidate, answer) : strictScore(candidate, answer),
});
