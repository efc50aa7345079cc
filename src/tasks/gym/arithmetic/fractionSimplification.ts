import * as z from 'zod';
import { pythonInt } from '@rl-playground/base/pythonNumbers';
import { asciiDigits } from '@rl-playground/base/pythonText';
import { skipSpace, stripSpace } from '../../python/text.ts';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { defineGymTask, subset, whole, type ConfigOf, type MetadataOf } from '../shared/define.ts';
import { commonDivisor } from './divisors.ts';

const STYLES = {
  plain: '3/4',
  latex_inline: '$3/4$',
  latex_frac: '$\\frac{3}{4}$',
  latex_dfrac: '$\\dfrac{3}{4}$',
} as const;
type Style = keyof typeof STYLES;

const fields = {
  min_value: whole('Smallest value', 'No part of the reduced fraction is drawn smaller.', 1, 100_000, 1),
  max_value: whole('Largest value', 'No part of the reduced fraction is larger.', 2, 100_000, 1000),
  min_factor: whole('Smallest factor', 'What both parts are at least multiplied by.', 1, 10_000, 1),
  max_factor: whole('Largest factor', 'What both parts are at most multiplied by.', 1, 10_000, 100),
  styles: subset('Styles', 'How fractions are written.', STYLES),
};
type Config = ConfigOf<typeof fields>;

const whole64 = z.number().int();
const metadata = () => ({
  numerator: whole64,
  denominator: whole64,
  simplified_numerator: whole64,
  simplified_denominator: whole64,
  style: z.enum(['plain', 'latex_inline', 'latex_frac', 'latex_dfrac']).optional(),
});
type Metadata = MetadataOf<typeof metadata>;

/** Upstream's score of a text that is no fraction. */
const ELSE = 0.01;
/** Upstream draws again this often until the reduced fraction is within its bounds. */
const ATTEMPTS = 10;

const written = (style: Style, numerator: number, denominator: number): string =>
  STYLES[style].replaceAll(/[34]/g, (digit) => `${digit === '3' ? numerator : denominator}`);

/** Reads `{ 12 }` with any spaces, or returns null if there is none at `from`. */
function readBraces(text: string, from: number): { digits: string; end: number } | null {
  if (text.charAt(from) !== '{') return null;
  const start = skipSpace(text, from + 1);
  let at = start;
  while (/[0-9]/.test(text.charAt(at))) at++;
  const end = skipSpace(text, at);
  return at > start && text.charAt(end) === '}' ? { digits: text.slice(start, at), end: end + 1 } : null;
}

/** Reads as upstream does: `\frac{a}{b}` with anything behind it, or else the numbers on both sides of the first `/`. Null stands for its error. */
function readLoosely(candidate: string): readonly (bigint | null)[] | null {
  const bare = stripSpace(candidate)
    .replace(/^\$+/, '')
    .replace(/(?<!\$)\$+$/, '');
  const text = asciiDigits(stripSpace(bare));
  const command = /^\\d?frac/i.exec(text)?.[0];
  const upper = command === undefined ? null : readBraces(text, skipSpace(text, command.length));
  const lower = upper === null ? null : readBraces(text, skipSpace(text, upper.end));
  if (upper && lower) return [pythonInt(upper.digits), pythonInt(lower.digits)];
  const slash = text.indexOf('/');
  return slash < 0
    ? null
    : [pythonInt(stripSpace(text.slice(0, slash))), pythonInt(stripSpace(text.slice(slash + 1)))];
}

/** Upstream's score: a little for the fraction's own numerator or denominator, and for any other fraction. */
function upstreamScore(candidate: string, data: Metadata): number {
  const [numerator = null, denominator = null] = readLoosely(candidate) ?? [];
  if (numerator === null || denominator === null) return ELSE;
  const is = (value: bigint, number: number) => value === BigInt(number);
  if (is(numerator, data.simplified_numerator) && is(denominator, data.simplified_denominator)) return 1;
  return is(numerator, data.numerator) || is(denominator, data.denominator) ? 0.1 : 0.05;
}

/** The fraction in lowest terms and nothing else, in any of the styles, spaces aside. */
function strictScore(candidate: string, data: Metadata): number {
  const given = stripSpace(candidate);
  const text = given.length > 200 ? '' : given.replaceAll(/\s*([/{}$])\s*/g, '$1');
  const styles = Object.keys(STYLES) as Style[];
  const forms = styles.map((style) => written(style, data.simplified_numerator, data.simplified_denominator));
  return [...forms, ...forms.map((form) => form.replaceAll('$', ''))].includes(text) ? 1 : 0;
}

function drawReduced(draw: Draw, { min_value, max_value }: Config): [number, number] {
  for (let attempt = 1; ; attempt++) {
    const values = [uniformInt(draw, min_value, max_value), uniformInt(draw, min_value, max_value)] as const;
    const divisor = commonDivisor(...values);
    const [less, more] = [Math.min(...values) / divisor, Math.max(...values) / divisor];
    if (less >= min_value || attempt === ATTEMPTS) return [less, more];
  }
}

export const fractionSimplification = defineGymTask({
  name: 'fraction_simplification',
  title: 'Simplify a fraction',
  summary: 'Reduce a fraction to its lowest terms.',
  family: 'arithmetic',
  fields,
  levels: [
    { max_value: 10, max_factor: 10, styles: ['plain'] },
    { max_value: 50, max_factor: 12, styles: ['plain'] },
    { max_value: 100, max_factor: 50 },
    {},
    { max_value: 10_000, max_factor: 1000 },
  ],
  metadata,
  draw(draw, config) {
    const [less, more] = drawReduced(draw, config);
    const factor = uniformInt(draw, config.min_factor, config.max_factor);
    const style = pick(draw, config.styles);
    const [numerator, denominator] = [less * factor, more * factor];
    return {
      question: `Reduce the fraction ${written(style, numerator, denominator)} to its lowest terms. Answer with the reduced fraction alone, written in the same way.`,
      compact: `fraction_simplification ${written(style, numerator, denominator)}`,
      key: `${numerator}/${denominator}`,
      answer: written(style, less, more),
      data: { numerator, denominator, simplified_numerator: less, simplified_denominator: more, style },
    };
  },
  scoreOfNothing: ELSE,
  scoreAnswer: (candidate, { metadata: data }, mode) =>
    mode === 'upstream' ? upstreamScore(candidate, data) : strictScore(candidate, data),
  /** `84/120 by 2: 42/60 by 2: 21/30 by 3: 7/10`: one prime factor after the other. */
  steps({ data: { numerator, denominator } }) {
    let [above, below] = [numerator, denominator];
    let steps = `${above}/${below}`;
    for (let prime = 2; prime <= above; prime++) {
      while (above % prime === 0 && below % prime === 0) {
        [above, below] = [above / prime, below / prime];
        steps += ` by ${prime}: ${above}/${below}`;
      }
    }
    return steps;
  },
});
