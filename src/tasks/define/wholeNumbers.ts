/** Arithmetic of whole numbers that several tasks and graders need. */

export const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** The greatest common divisor, 0 or more; that of 0 and 0 is 0. */
export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [magnitude(a), magnitude(b)];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** Number of ways to choose `count` of `from`; exact as long as `count` times as many are below 2^53. */
export function choose(from: number, count: number): number {
  if (count < 0) return 0;
  let ways = 1;
  for (let i = 0; i < count; i++) ways = (ways * (from - i)) / (i + 1);
  return ways;
}

/** The sum of `of` at all whole numbers from `low` to `high`. */
export function sumOver(low: number, high: number, of: (number: number) => number): number {
  let sum = 0;
  for (let number = low; number <= high; number++) sum += of(number);
  return sum;
}

/** Number of multisets of `size` members of `kinds` kinds. */
export const multisets = (kinds: number, size: number): number => choose(kinds + size - 1, size);

/** Number of ones in the binary form of a number below 2^31. */
export function countOnes(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
