import { uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';

const NAMES: Readonly<Record<number, string>> = { 2: 'binary', 16: 'hexadecimal' };
const nameOf = (base: number): string => NAMES[base] ?? `base-${base}`;

export const baseConversion = defineGymTask({
  name: 'base_conversion',
  title: 'Base conversion',
  summary: 'Write a number of one base in another, such as binary in base 7.',
  family: 'arithmetic',
  fields: {
    min_base: whole('Smallest base', 'No base is smaller.', 2, 36, 2),
    max_base: whole('Largest base', 'No base is larger.', 2, 36, 16),
    min_value: whole('Smallest value', 'The smallest number that is converted.', 0, 1_000_000_000, 0),
    max_value: whole('Largest value', 'The largest number that is converted.', 0, 1_000_000_000, 1000),
  },
  levels: [
    { max_base: 4, max_value: 50 },
    { max_base: 10, max_value: 100 },
    { max_base: 10 },
    {},
    { max_base: 27, max_value: 10_000 },
    { max_base: 36, max_value: 1_000_000 },
  ],
  checkConfig: ({ min_base, max_base }) =>
    min_base === max_base
      ? `max_base: ${max_base} is also min_base, and a conversion needs two bases; choose a larger one or a smaller min_base.`
      : null,
  space({ min_base, max_base, min_value, max_value }) {
    const bases = max_base - min_base + 1;
    return bases * (bases - 1) * (max_value - min_value + 1);
  },
  draw(draw, { min_base, max_base, min_value, max_value }) {
    const value = uniformInt(draw, min_value, max_value);
    const source = uniformInt(draw, min_base, max_base);
    const other = uniformInt(draw, min_base, max_base - 1);
    const target = other < source ? other : other + 1;
    const [written, answer] = [value.toString(source), value.toString(target)];
    return {
      question: `Convert the ${nameOf(source)} number ${written} to ${nameOf(target)}. In bases above 10 the digits after 9 are the lower-case letters from a on. Answer with the converted number alone.`,
      compact: `base_conversion ${written} from ${source} to ${target}`,
      key: `${source} ${written} ${target}`,
      answer,
      data: { decimal_value: value, source_base: source, target_base: target, source_repr: written },
    };
  },
  /** `2:2 0:6 1:19` (each digit, and what the digits so far amount to), then `19/4=4 3, 4/4=1 0, 1/4=0 1`, to be read from the end. */
  steps({ data: { decimal_value, source_base, target_base, source_repr } }) {
    let value = 0;
    const digits = Array.from(source_repr, (digit) => {
      value = value * source_base + Number.parseInt(digit, source_base);
      return `${digit}:${value}`;
    });
    const divisions: string[] = [];
    for (let rest = decimal_value; rest > 0; rest = Math.floor(rest / target_base))
      divisions.push(
        `${rest}/${target_base}=${Math.floor(rest / target_base)} ${(rest % target_base).toString(target_base)}`,
      );
    return [digits.join(' '), divisions.join(', ')].filter((part) => part !== '').join('\n');
  },
});
