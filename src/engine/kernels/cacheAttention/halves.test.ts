/** A cache of halves, which wasm alone has: what one in f32 gives that holds the same numbers, to the bit. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
import { fromFloat16, toFloat16 } from '../shared/halfFloats.ts';
import { wasmPathInNode } from '../../testing/wasm.ts';
import { bitDifference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { cacheAttention, fillCache, forkCache, type LayerCache } from './cacheAttention.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

const POSITIONS = 24;
const PROMPT = 7;

const ints = (values: readonly number[]): tf.Tensor1D => tf.tensor1d([...values], 'int32');

test.each([
  { heads: 4, kvHeads: 2, headDim: 6 },
  { heads: 9, kvHeads: 3, headDim: 64 },
  { heads: 2, kvHeads: 1, headDim: 2 },
  { heads: 4, kvHeads: 2, headDim: 6, window: 5 },
])(
  'a prompt, its copies and 16 steps, $heads heads on $kvHeads of $headDim, window $window',
  async (attributes) => {
    const random = freshInputs();
    const { heads, kvHeads, headDim, window = POSITIONS } = attributes;
    const columns = (heads + 2 * kvHeads) * headDim;
    const width = kvHeads * headDim;
    const cacheOf = (size: number, dtype: 'float32' | 'int32'): LayerCache => {
      const make = () => tf.fill([3, window, size], 0, dtype);
      return { keys: make(), values: make() };
    };
    const [halves, floats] = [cacheOf(width / 2, 'int32'), cacheOf(width, 'float32')];
    /** Large, tiny and subnormal keys and values too; for the cache in f32, rounded. */
    const projected = (rows: number) => {
      const given = random.floats(rows * columns).map((value, i) => value * 10 ** (2 - 3 * (i % 4)));
      const rounded = fromFloat16(toFloat16(given)).map((value, i) =>
        i % columns < heads * headDim ? (given[i] ?? NaN) : value,
      );
      return { given: tf.tensor2d(given, [rows, columns]), rounded: tf.tensor2d(rounded, [rows, columns]) };
    };
    const prompt = projected(PROMPT);
    for (const [cache, qkv] of [
      [halves, prompt.given],
      [floats, prompt.rounded],
    ] as const) {
      fillCache(
        cache,
        { qkv, sources: ints([0]), slots: ints([2]), lengths: ints([PROMPT]) },
        { ...attributes, length: PROMPT },
      );
      forkCache(cache, { from: ints([2, 2]), to: ints([0, 1]) }, { length: PROMPT });
    }
    for (let position = PROMPT; position < PROMPT + 16; position++) {
      const { given, rounded } = projected(2);
      const at = { slots: ints([1, 0]), positions: ints([position, position]) };
      const found = cacheAttention({ qkv: given, ...at }, halves, attributes);
      const expected = cacheAttention({ qkv: rounded, ...at }, floats, attributes);
      expect(await bitDifference(`position ${position}`, found, expected, random.seed)).toBeNull();
    }
  },
);
