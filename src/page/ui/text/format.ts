/** Numbers as the page writes them. A missing or non-finite value is an en dash everywhere. */
import type { Interval } from '@rl-playground/base/intervals';
import { clockText, grouped } from '@rl-playground/base/text';

const MISSING = '–';
const MINUS = '\u2212';
const NARROW_SPACE = '\u202f';

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

/** A share in [0, 1] as percent with one decimal. */
export function percent(share: number | null | undefined, digits = 1): string {
  return isNumber(share) ? `${(share * 100).toFixed(digits)}%` : MISSING;
}

/** A share as "61.3% (56.4–66.0)", with its interval if it has one. */
export function shareWithin(share: number, interval: Interval | null): string {
  const ends = interval && [interval.low, interval.high].map((end) => (100 * end).toFixed(1));
  return `${percent(share)}${ends ? ` (${ends.join('–')})` : ''}`;
}

/** Fixed decimals with a true minus sign. */
export function fixed(value: number | null | undefined, digits = 2): string {
  if (!isNumber(value)) return MISSING;
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** A text as `fixed` makes it, with a plus sign on positive values; a value that rounds to zero carries none. */
export function signed(value: number | null | undefined, digits = 2): string {
  if (!isNumber(value)) return MISSING;
  const text = fixed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** A text as `signed` makes it, with as few decimals as tell the value from its neighbours on an axis, two at most. */
export function signedTick(value: number): string {
  const digits = [0, 1].find((few) => Math.abs(value - Number(value.toFixed(few))) < 1e-9);
  return signed(value, digits ?? 2);
}

/** Three significant digits; very small or large numbers in exponent form. */
export function compact(value: number | null | undefined): string {
  if (!isNumber(value)) return MISSING;
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size < 1e-3 || size >= 1e5 ? size.toExponential(1) : String(Number(size.toPrecision(3)));
  return (value < 0 ? MINUS : '') + text.replace('e+', 'e').replace('e-', `e${MINUS}`);
}

/** The text of a number as somebody types it, without an exponent where a plain decimal is short. */
export function plainText(value: number): string {
  return value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
}

export function count(value: number | null | undefined): string {
  return isNumber(value) ? grouped(value) : MISSING;
}

/** 412_345 → "412 k", 1_234_567 → "1.23 M". */
export function parameterCount(value: number | null | undefined): string {
  if (!isNumber(value)) return MISSING;
  for (const [unit, size] of [
    ['B', 1e9],
    ['M', 1e6],
    ['k', 1e3],
  ] as const) {
    if (value >= size) return `${Number((value / size).toPrecision(3))}${NARROW_SPACE}${unit}`;
  }
  return String(value);
}

/** Seconds as a clock shows them, such as "2:05". */
export function clock(seconds: number | null | undefined): string {
  return isNumber(seconds) ? clockText(seconds) : MISSING;
}

/** The name of the modifier key on this machine. */
export const MODIFIER = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '') ? '⌘' : 'Ctrl';
