import { magnitude } from '../../define/wholeNumbers.ts';
import { pick, pickWeighted, uniformInt, type Draw } from '@rl-playground/base/random';
import { sumLine } from '../shared/columnSteps.ts';
import { defineGymTask, subset, weights, whole, type ConfigOf } from '../shared/define.ts';

/** A sum `slope·x + constant`. */
interface Linear {
  readonly slope: number;
  readonly constant: number;
}

/** A sum in SymPy's form, such as `32*u + 4`, `-48*u - 71` or `71 - 48*u`. `slope` is not 0. */
export function writeLinear({ slope, constant }: Linear, variable: string): string {
  const size = Math.abs(slope);
  const multiple = `${size === 1 ? '' : `${size}*`}${variable}`;
  if (constant > 0 && slope < 0) return `${constant} - ${multiple}`;
  const first = `${slope < 0 ? '-' : ''}${multiple}`;
  return constant === 0 ? first : `${first} ${constant < 0 ? '-' : '+'} ${Math.abs(constant)}`;
}

/** The sum that `writeLinear` wrote, or null for other text. */
export function readLinear(text: string): Linear | null {
  const turned = /^(\d+) - (?:(\d+)\*)?[a-z]$/.exec(text);
  if (turned) return { slope: -Number(turned[2] ?? 1), constant: Number(turned[1]) };
  const match = /^(-?)(?:(\d+)\*)?[a-z](?: ([+-]) (\d+))?$/.exec(text);
  if (!match) return null;
  const [, minus, size = '1', sign, constant = '0'] = match;
  return {
    slope: Number(size) * (minus === '-' ? -1 : 1),
    constant: Number(constant) * (sign === '-' ? -1 : 1),
  };
}

const OPERATORS = ['+', '-', '*'] as const;

const fields = {
  min_terms: whole('Fewest terms', 'Fewest numbers on the left side.', 1, 20, 2),
  max_terms: whole('Most terms', 'Most numbers on the left side.', 1, 20, 4),
  min_value: whole('Smallest value', 'No number drawn is smaller.', 1, 10_000, 1),
  max_value: whole('Largest value', 'No number drawn is larger.', 1, 10_000, 100),
  operators: subset('Operators', 'What joins the numbers. Without multiplication the unknown stands alone.', {
    '+': '+',
    '-': '−',
    '*': '×',
  }),
  operators_weights: weights(
    'Weights of the operators',
    'How often each is drawn.',
    OPERATORS,
    [0.4, 0.4, 0.2],
  ),
};
type Config = ConfigOf<typeof fields>;

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');
const WORDS = [
  (variable: string, equation: string) => `Which value of ${variable} makes this equation true? ${equation}`,
  (variable: string, equation: string) => `Solve this equation for ${variable}: ${equation}`,
  (variable: string, equation: string) => `In the equation ${equation}, what is ${variable}?`,
];

const weightsOf = ({ operators, operators_weights }: Config): number[] =>
  OPERATORS.map((operator, i) => (operators.includes(operator) ? (operators_weights[i] ?? 0) : 0));

/** A left side: constants and one multiple of the variable, joined from left to right. */
function drawLeft(draw: Draw, config: Config): Linear {
  const count = uniformInt(draw, config.min_terms, config.max_terms);
  const value = () => uniformInt(draw, config.min_value, config.max_value);
  const terms: Linear[] = Array.from({ length: count }, () => ({ slope: 0, constant: value() }));
  const factor = config.operators.includes('*') ? value() : 1;
  terms[uniformInt(draw, 0, count - 1)] = { slope: factor, constant: 0 };
  return terms.reduce((left, right) => {
    const operator = OPERATORS[pickWeighted(draw, weightsOf(config))];
    if (operator === '*')
      // Only one of the two has the variable.
      return {
        slope: left.slope * right.constant + left.constant * right.slope,
        constant: left.constant * right.constant,
      };
    const sign = operator === '-' ? -1 : 1;
    return { slope: left.slope + sign * right.slope, constant: left.constant + sign * right.constant };
  });
}

export const simpleEquations = defineGymTask({
  name: 'simple_equations',
  title: 'Simple equations',
  summary: 'Find the unknown in an equation such as 3*x + 4 = 25.',
  family: 'algebra',
  fields,
  levels: [
    { max_terms: 2, max_value: 10, operators: ['+', '-'] },
    { max_terms: 2, max_value: 15, operators_weights: [0.5, 0.5, 0] },
    { max_terms: 3, max_value: 30 },
    {},
    { max_terms: 5, max_value: 300 },
  ],
  checkConfig(config) {
    if (weightsOf(config).every((weight) => weight === 0))
      return `operators_weights: the weights of the chosen operators (${config.operators.join(' ')}) are all 0; give one of them a weight above 0.`;
    const largest = config.max_value ** (config.operators.includes('*') ? config.max_terms + 1 : 2);
    return largest > 1e15
      ? `max_terms: ${config.max_terms} terms up to ${config.max_value} can reach ${largest.toPrecision(2)}, at most 1e15 is exact; choose fewer terms or smaller values.`
      : null;
  },
  draw(draw, config) {
    const left = drawLeft(draw, config);
    const solution = uniformInt(draw, config.min_value, config.max_value);
    const variable = pick(draw, LETTERS);
    const right = left.slope * solution + left.constant;
    const equation = `${writeLinear(left, variable)} = ${right}`;
    return {
      question: pick(draw, WORDS)(variable, equation),
      compact: `simple_equations ${equation}`,
      key: `${left.slope} ${left.constant} ${right}`,
      answer: `${solution}`,
      data: { equation, variable },
    };
  },
  /** The constant to the other side, then the division: `25 - 4: 5-4=1 2-0=2 so 21`, `21 / 3 = 7`. */
  steps({ answer, data: { equation } }) {
    const [leftText = '', rightText = '0'] = equation.split(' = ');
    const left = readLinear(leftText);
    if (left === null) return '';
    const [slope, constant, right] = [left.slope, left.constant, Number(rightText)].map(BigInt);
    if (slope === undefined || constant === undefined || right === undefined) return '';
    const difference = slope < 0n ? constant - right : right - constant;
    const line = slope < 0n ? sumLine(constant, -right) : sumLine(right, -constant);
    const division = `${difference} / ${magnitude(slope)} = ${answer}`;
    return constant === 0n && slope > 0n ? division : `${line}\n${division}`;
  },
});
