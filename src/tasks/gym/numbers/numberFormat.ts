import { pythonFloat } from '@rl-playground/base/pythonNumbers';
import { stripSpace } from '../../python/text.ts';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, real, whole, type ConfigOf } from '../shared/define.ts';
import { floatText, isPlainNumber } from '../shared/floatText.ts';

const fields = {
  min_num_candidates: whole('Fewest numbers', 'Fewest numbers to choose from.', 2, 100, 2),
  max_num_candidates: whole('Most numbers', 'Most numbers to choose from.', 2, 100, 5),
  min_n: real('Smallest number', 'The first number is not smaller.', 1, 1e10, 1000),
  max_n: real('Largest number', 'The first number is not larger.', 1, 1e10, 1e9),
  max_delta: real('Greatest difference', 'How far the others are from the first.', 0.1, 1e6, 10),
};
type Config = ConfigOf<typeof fields>;

/** The largest errors of an answer; numbers here are multiples of 0.001. */
const [UPSTREAM_TOLERANCE, TOLERANCE] = [1e-2, 5e-4];
/** The number of attempts for each number to differ from the others. */
const ATTEMPTS = 50;

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
const uniform = (draw: Draw, low: number, high: number): number => low + draw() * (high - low);

const FORMATS: readonly ((value: number) => string)[] = [
  (value) => value.toFixed(6),
  (value) => floatText(value).replace(/\d(?=(?:\d{3})+\.)/g, '$&,'),
  (value) => value.toExponential(15).replace(/e\+(\d)$/, 'e+0$1'),
];

function drawNumbers(draw: Draw, config: Config): number[] {
  const count = uniformInt(draw, config.min_num_candidates, config.max_num_candidates);
  const numbers = [thousandths(uniform(draw, config.min_n, config.max_n))];
  for (let attempt = 0; numbers.length < count; attempt++) {
    const number = thousandths((numbers[0] ?? 0) + uniform(draw, -config.max_delta, config.max_delta));
    if (attempt > ATTEMPTS * count || !numbers.includes(number)) numbers.push(number);
  }
  return numbers;
}

export const numberFormat = defineGymTask({
  name: 'number_format',
  title: 'Number formats',
  summary: 'Pick the largest or smallest of a few numbers in different notations.',
  family: 'numbers',
  fields,
  levels: [
    { max_num_candidates: 2, max_n: 10_000, max_delta: 1000 },
    { max_num_candidates: 3, max_n: 1_000_000, max_delta: 100 },
    {},
    { min_num_candidates: 5, max_num_candidates: 10, max_delta: 1 },
    { min_num_candidates: 10, max_num_candidates: 25, max_delta: 1 },
  ],
  metadata: (z) => ({ solution: z.number() }),
  draw(draw, config) {
    const candidates = drawNumbers(draw, config);
    const formatted_candidates = candidates.map((number) => pick(draw, FORMATS)(number));
    const size = pick(draw, ['largest', 'smallest'] as const);
    const solution = size === 'largest' ? Math.max(...candidates) : Math.min(...candidates);
    return {
      question: `Which of these numbers is the ${size}: ${formatted_candidates.join(' ')}? Answer with that number alone.`,
      compact: `number_format ${size} ${formatted_candidates.join(' ')}`,
      key: `${size} ${candidates.toSorted((a, b) => a - b).join(' ')}`,
      answer: floatText(solution),
      data: { candidates, solution, formatted_candidates, size },
    };
  },
  scoreAnswer(candidate, { metadata: { solution } }, mode) {
    const text = stripSpace(candidate).replaceAll(',', '');
    if (mode === 'strict' && !isPlainNumber(text)) return 0;
    const given = pythonFloat(text);
    const tolerance = mode === 'upstream' ? UPSTREAM_TOLERANCE : TOLERANCE;
    return given !== null && Math.abs(given - solution) < tolerance ? 1 : 0;
  },
});
