/** Square matrices of digits, as two tasks draw and write them. */
import { pick, uniformInt } from '../../../base/random.ts';

export type Matrix = readonly (readonly number[])[];

export function drawMatrix(draw: () => number, size: number): number[][] {
  return Array.from({ length: size }, () => Array.from({ length: size }, () => uniformInt(draw, 0, 9)));
}

/** Rows on lines of their own, or between other marks. */
export const matrixText = (matrix: Matrix, between = '\n'): string =>
  matrix.map((row) => row.join(' ')).join(between);

/** The text with one of its digits replaced by another. */
export function changeDigit(draw: () => number, text: string): string {
  const places = Array.from(text).flatMap((character, i) => (/\d/.test(character) ? [i] : []));
  const at = pick(draw, places);
  const digit = (Number(text.charAt(at)) + uniformInt(draw, 1, 9)) % 10;
  return `${text.slice(0, at)}${digit}${text.slice(at + 1)}`;
}
