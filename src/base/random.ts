/** Hashes, and counted randomness: a stream is named by a few integers, so nothing has to be carried from one draw to the next. */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/**
 * The finalizer of MurmurHash3 (32 bit): every input bit changes each output bit with probability close to 1/2.
 * Takes any integer, returns an unsigned 32-bit one.
 */
export function avalanche32(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** FNV-1a, 32 bit, over the UTF-8 bytes of `text`. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Start values of the four hashes that fill the 128 bits of state: leading fractional digits of well-known constants. */
const LANES = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x6a09e667] as const;
const GOLDEN_RATIO = 0x9e3779b9;

/** Yields uniform numbers in [0, 1). */
export type Draw = () => number;

function hashWords(words: readonly number[], lane: number): number {
  let hash = lane;
  for (const word of words) {
    hash = avalanche32(hash ^ (word >>> 0)) + GOLDEN_RATIO;
    hash = avalanche32(hash ^ Math.floor(word / 2 ** 32)) + GOLDEN_RATIO;
  }
  return avalanche32(hash ^ words.length);
}

/**
 * The stream of uniform numbers in [0, 1) that `words` name: xoroshiro128+ on a 128-bit hash of them. The same words
 * give the same stream on every machine; any other words give an unrelated one.
 * Throws when a word is not a safe integer.
 */
export function drawsFor(...words: readonly number[]): Draw {
  for (const word of words) {
    if (!Number.isSafeInteger(word))
      throw new Error(`A random stream is named by integers; found ${word}. Pass whole numbers below 2^53.`);
  }
  const generator = xoroshiro128plusFromState(LANES.map((lane) => hashWords(words, lane)));
  return () => uniformFloat64(generator);
}

/** A standard normal number, made of two draws (Box and Muller 1958). */
export function normal(draw: Draw): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
}

/** A uniform integer from `low` to `high`, both inclusive, made of one draw. */
export function uniformInt(draw: Draw, low: number, high: number): number {
  return low + Math.floor(draw() * (high - low + 1));
}

/** One of `items`, uniformly, made of one draw. Throws when there is none. */
export function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  const item = items[Math.floor(draw() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick from; the list is empty.');
  return item;
}

/** Draws an index of `weights`, each as likely as its share of their sum, from one draw. At least one weight must be above 0. */
export function pickWeighted(draw: Draw, weights: readonly number[]): number {
  let left = draw() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => (left -= weight) < 0);
  return at < 0 ? weights.findLastIndex((weight) => weight > 0) : at;
}

/** The items in a uniformly random order (Fisher and Yates' shuffle), made of one draw for each item. */
export function shuffled<Item>(draw: Draw, items: readonly Item[]): Item[] {
  const left = [...items];
  const order: Item[] = [];
  while (left.length > 0) {
    const at = uniformInt(draw, 0, left.length - 1);
    order.push(...left.slice(at, at + 1));
    const last = left.pop();
    if (at < left.length && last !== undefined) left[at] = last;
  }
  return order;
}
