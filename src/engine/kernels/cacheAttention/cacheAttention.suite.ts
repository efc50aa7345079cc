import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { bitDifference, difference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { attendReference } from '../testing/reference.ts';
import type { CacheAttentionAttributes } from './wasm.ts';
import { cacheAttention, fillCache, forkCache, type LayerCache } from './cacheAttention.ts';

const columnsOf = ({ heads, kvHeads, headDim }: CacheAttentionAttributes): number =>
  (heads + 2 * kvHeads) * headDim;

function cacheOf(slots: number, capacity: number, width: number, value = 0): LayerCache {
  const shape: [number, number, number] = [slots, capacity, width];
  return { keys: tf.fill(shape, value), values: tf.fill(shape, value) };
}

function decode(
  qkv: Float32Array,
  slots: readonly number[],
  positions: readonly number[],
  cache: LayerCache,
  attributes: CacheAttentionAttributes,
): tf.Tensor2D {
  return cacheAttention(
    {
      qkv: tf.tensor2d(qkv, [slots.length, columnsOf(attributes)]),
      slots: tf.tensor1d([...slots], 'int32'),
      positions: tf.tensor1d([...positions], 'int32'),
    },
    cache,
    attributes,
  );
}

/** The last of `steps`, each [rows, columns], attended over all of them: one row's heads. */
function reference(
  steps: readonly Float32Array[],
  row: number,
  attributes: CacheAttentionAttributes,
): number[] {
  const { heads, kvHeads, headDim, scale, window } = attributes;
  const columns = columnsOf(attributes);
  const seen = steps.slice(-(window ?? steps.length));
  const part = (step: Float32Array, head: number) =>
    step.subarray(row * columns + head * headDim, row * columns + (head + 1) * headDim);
  return Array.from({ length: heads }, (_, head) => {
    const key = heads + Math.floor((head * kvHeads) / heads);
    return attendReference(
      part(steps.at(-1) ?? new Float32Array(), head),
      seen.map((step) => part(step, key)),
      seen.map((step) => part(step, key + kvHeads)),
      scale,
    );
  }).flat();
}

export function cacheAttentionSuite(): void {
  describe('cacheAttention', () => {
    for (const [heads, kvHeads, headDim, steps, rule = {}] of [
      [4, 2, 6, 9],
      [4, 4, 16, 70],
      [9, 3, 80, 3],
      [2, 1, 2, 17],
      [4, 2, 6, 9, { window: 1, scale: 0.3 }],
      [2, 1, 16, 40, { window: 7 }],
      [2, 1, 80, 70, { window: 66, scale: 0.1 }],
    ] as const) {
      const asked = Object.entries(rule)
        .map(([name, value]) => `, ${name} ${value}`)
        .join('');
      test(`${steps} steps, ${heads} heads on ${kvHeads} of ${headDim}${asked}, rows in slots 2 and 0`, async () => {
        const random = freshInputs();
        const attributes = { heads, kvHeads, headDim, ...rule };
        const cache = cacheOf(3, steps, kvHeads * headDim);
        const past: Float32Array[] = [];
        for (let position = 0; position < steps; position++) {
          const qkv = random.floats(2 * columnsOf(attributes));
          past.push(qkv);
          const output = decode(qkv, [2, 0], [position, position], cache, attributes);
          const expected = [0, 1].flatMap((row) => reference(past, row, attributes));
          expect(
            await difference(`position ${position}`, output, Float64Array.from(expected), 1e-5, random.seed),
          ).toBeNull();
        }
      });
    }

    test.each([8, 40])(
      'a row is the same to the bit alone and beside others, head size %i',
      async (headDim) => {
        const random = freshInputs();
        const attributes = { heads: 4, kvHeads: 2, headDim };
        const columns = columnsOf(attributes);
        const slots = [4, 1, 0, 3, 2, 5, 6, 7];
        const beside = cacheOf(8, 80, 2 * headDim);
        const alone = cacheOf(1, 90, 2 * headDim);
        for (let position = 0; position < 66; position++) {
          const qkv = random.floats(8 * columns);
          const positions = [0, position, position, 70, position, 7, 7, 79];
          const among = tf.slice(decode(qkv, slots, positions, beside, attributes), [1, 0], [1, -1]);
          const own = decode(qkv.subarray(columns, 2 * columns), [0], [position], alone, attributes);
          if (position % 13 === 0 || position > 60) {
            expect(await bitDifference(`position ${position}`, own, among, random.seed)).toBeNull();
          }
        }
      },
    );

    test.each([
      { heads: 4, kvHeads: 2, headDim: 6, window: 1 },
      { heads: 2, kvHeads: 1, headDim: 16, window: 7 },
      { heads: 2, kvHeads: 2, headDim: 80, window: 66 },
    ])(
      'a cache of a window’s positions gives what one of all gives, to the bit: $window of $headDim',
      async (attributes) => {
        const { kvHeads, headDim, window } = attributes;
        const random = freshInputs();
        const steps = 2 * window + 9;
        const all = cacheOf(3, steps, kvHeads * headDim);
        const kept = cacheOf(3, window, kvHeads * headDim);
        for (let position = 0; position < steps; position++) {
          const qkv = random.floats(2 * columnsOf(attributes));
          const [expected, found] = [all, kept].map((cache) =>
            decode(qkv, [2, 0], [position, Math.floor(position / 2)], cache, attributes),
          ) as [tf.Tensor, tf.Tensor];
          if (position % 13 > 0 && position < steps - 9) continue;
          expect(await bitDifference(`position ${position}`, found, expected, random.seed)).toBeNull();
        }
      },
    );

    test('what lies in the cache after a row’s position is not read', async () => {
      const random = freshInputs();
      const attributes = { heads: 2, kvHeads: 1, headDim: 8 };
      const qkv = random.floats(32);
      const output = decode(qkv, [0], [0], cacheOf(1, 20, 8, NaN), attributes);
      const expected = Float64Array.from(reference([qkv], 0, attributes));
      expect(await difference('first position', output, expected, 1e-6, random.seed)).toBeNull();
    });
  });

  describe('fillCache and forkCache', () => {
    const attributes = { heads: 3, kvHeads: 1, headDim: 4 };

    test.each([5, 2])(
      'prompts go to slots of %i, one of them twice, and the rest is left',
      async (capacity) => {
        const random = freshInputs();
        const [length, columns] = [4, 20];
        const rows = random.floats(2 * length * columns);
        const cache = cacheOf(4, capacity, 4, -1);
        const sources = [1, 0, 1];
        const slots = [3, 0, 1];
        const lengths = [3, 4, 1];
        const ints = (values: number[]) => tf.tensor1d(values, 'int32');
        const copies = {
          qkv: tf.tensor2d(rows, [2 * length, columns]),
          sources: ints(sources),
          slots: ints(slots),
          lengths: ints(lengths),
        };
        fillCache(cache, copies, { ...attributes, length });
        for (const [tensor, column] of [
          [cache.keys, 12],
          [cache.values, 16],
        ] as const) {
          const expected = new Float64Array(4 * capacity * 4).fill(-1);
          slots.forEach((slot, copy) => {
            // Later positions overwrite those that lie a capacity before them.
            for (let position = 0; position < (lengths[copy] ?? NaN); position++) {
              const from = ((sources[copy] ?? NaN) * length + position) * columns + column;
              expected.set(rows.subarray(from, from + 4), (slot * capacity + (position % capacity)) * 4);
            }
          });
          expect(await difference(`column ${column}`, tensor, expected, 0, random.seed)).toBeNull();
        }
      },
    );

    test.each([
      { length: 4, copied: 4 },
      { length: 9, copied: 5 },
    ])('slots of 5 are forked for $length, and hold what they had beyond', async ({ length, copied }) => {
      const random = freshInputs();
      const before = [random.floats(6 * 5 * 3), random.floats(6 * 5 * 3)].map((values) =>
        tf.tensor3d(values, [6, 5, 3]),
      ) as [tf.Tensor3D, tf.Tensor3D];
      const values = await Promise.all(before.map((tensor) => tensor.data()));
      const from = [4, 0, 4];
      const to = [1, 5, 2];
      forkCache(
        { keys: before[0], values: before[1] },
        { from: tf.tensor1d(from, 'int32'), to: tf.tensor1d(to, 'int32') },
        { length },
      );
      for (const [i, tensor] of before.entries()) {
        const expected = Float64Array.from(values[i] ?? []);
        from.forEach((source, copy) => {
          expected.copyWithin((to[copy] ?? NaN) * 15, source * 15, source * 15 + 3 * copied);
        });
        expect(await difference(`cache ${i}`, tensor, expected, 0, random.seed)).toBeNull();
      }
    });

    test('a cache that was read before shows the new values: no stale copy stays on the host', async () => {
      const cache = cacheOf(1, 2, 2);
      expect([...(await cache.keys.data())]).toEqual([0, 0, 0, 0]);
      const copies = {
        qkv: tf.tensor2d([[1, 2, 3, 4, 5, 6]]),
        sources: tf.tensor1d([0], 'int32'),
        slots: tf.tensor1d([0], 'int32'),
        lengths: tf.tensor1d([1], 'int32'),
      };
      fillCache(cache, copies, { heads: 1, kvHeads: 1, headDim: 2, length: 1 });
      expect([...(await cache.keys.data())]).toEqual([3, 4, 0, 0]);
      expect([...(await cache.values.data())]).toEqual([5, 6, 0, 0]);
    });
  });
}
