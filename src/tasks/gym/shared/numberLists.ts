/** Lists of decimal numbers: settings, drawing, and the Python lists that they are asked for in. */
import { real, whole } from '../../fields.ts';
import { readPythonJson } from '../../python/json.ts';
import { readPythonLiteral } from '../../python/literal.ts';
import type { PythonValue } from '../../python/value.ts';
import { uniformInt } from '../../../base/random.ts';
import { outOfOrder } from './settings.ts';

export interface NumberListConfig extends Record<string, number> {
  readonly min_numbers: number;
  readonly max_numbers: number;
  readonly min_decimals: number;
  readonly max_decimals: number;
  readonly min_value: number;
  readonly max_value: number;
}

/** `decimals` is the default of the most decimal places. */
export function numberListFields(decimals: number) {
  return {
    min_numbers: whole('Fewest numbers', 'Numbers in the shortest lists.', 1, 100, 3),
    max_numbers: whole('Most numbers', 'Numbers in the longest lists.', 1, 100, 10),
    min_decimals: whole('Fewest decimals', 'Fewest digits behind the point.', 0, 8, 0),
    max_decimals: whole('Most decimals', 'Most digits behind the point.', 0, 8, decimals),
    min_value: real('Smallest number', 'Numbers are at least about this.', -1e5, 1e5, -100),
    max_value: real('Largest number', 'Numbers are at most about this.', -1e5, 1e5, 100),
  };
}

export function numberListError(config: NumberListConfig): string | null {
  const { min_value, max_value } = config;
  const error = outOfOrder(config, [
    ['min_numbers', 'max_numbers'],
    ['min_decimals', 'max_decimals'],
  ]);
  if (error !== null || min_value < max_value) return error;
  return `min_value: ${min_value} is not below max_value, ${max_value}; choose less than ${max_value}.`;
}

/** The number at `decimals` places; zero has no sign. */
export function decimalText(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

/** A number from `low` to `high` at a random number of decimal places. */
export function drawDecimal(
  draw: () => number,
  { min_decimals, max_decimals }: NumberListConfig,
  low: number,
  high: number,
): string {
  const value = low + draw() * (high - low);
  return decimalText(value, uniformInt(draw, min_decimals, max_decimals));
}

export function drawNumberList(draw: () => number, config: NumberListConfig): string[] {
  const count = uniformInt(draw, config.min_numbers, config.max_numbers);
  return Array.from({ length: count }, () => drawDecimal(draw, config, config.min_value, config.max_value));
}

/** Number of different numbers, where all have the same decimal places; null where they don't. */
export function countValues({
  min_decimals,
  max_decimals,
  min_value,
  max_value,
}: NumberListConfig): number | null {
  const scale = 10 ** max_decimals;
  return min_decimals === max_decimals
    ? Math.round(max_value * scale) - Math.round(min_value * scale) + 1
    : null;
}

/** In numerical order, however the texts are written. */
export function sortNumbers(numbers: readonly string[]): string[] {
  return numbers.toSorted((a, b) => Number(a) - Number(b));
}

/** `['1.5', '-2']`. No item may hold a quote or a backslash. */
export function pythonList(items: readonly string[]): string {
  return `[${items.map((item) => `'${item}'`).join(', ')}]`;
}

/** The list that a text is, in Python's or JSON's way of writing; null where it is none. Never throws. */
export function readList(text: string): readonly PythonValue[] | null {
  for (const read of [readPythonLiteral, readPythonJson]) {
    try {
      const value = read(text);
      if (value !== null && typeof value === 'object' && value.kind === 'list') return value.items;
    } catch {
      // The other reader may take it.
    }
  }
  return null;
}
