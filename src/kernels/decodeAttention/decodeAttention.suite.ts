import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference, bitDifference } from '../checks/compare.ts';
import { freshInputs, type RandomInputs } from '../checks/random.ts';
import { attendReference } from '../checks/reference.ts';
import { decodeAttention, fillCache, type LayerCache } from './decodeAttention.ts';

const HEADS = 4;
const KV_HEADS = 2;

interface Step {
  readonly q: Float32Array;
  readonly k: Float32Array;
  readonly v: Float32Array;
}

function drawStep(random: RandomInputs, rows: number, headDim: number): Step {
  const kvSize = rows * KV_HEADS * headDim;
  return { q: random.floats(rows * HEADS * headDim), k: random.floats(kvSize), v: random.floats(kvSize) };
}

function run(
  step: Step,
  slots: number[],
  positions: number[],
  cache: LayerCache,
  headDim: number,
): tf.Tensor2D {
  const matrix = (values: Float32Array) => tf.tensor2d(values, [slots.length, values.length / slots.length]);
  return decodeAttention(
    {
      q: matrix(step.q),
      k: matrix(step.k),
      v: matrix(step.v),
      slots: tf.tensor1d(slots, 'int32'),
      positions: tf.tensor1d(positions, 'int32'),
    },
    cache,
    { heads: HEADS, kvHeads: KV_HEADS, headDim },
  );
}

function emptyCache(slots: number, capacity: number, headDim: number): LayerCache {
  const shape: [number, number, number] = [slots, capacity, KV_HEADS * headDim];
  return { keys: tf.zeros(shape), values: tf.zeros(shape) };
}

export function decodeAttentionSuite(): void {
  describe('decodeAttention', () => {
    for (const [headDim, steps] of [
      [6, 9],
      [16, 70],
      [80, 3],
    ] as const) {
      test(`${steps} steps, head size ${headDim}, rows in slots 2 and 0`, async () => {
        const random = freshInputs();
        const cache = emptyCache(3, steps, headDim);
        const past: Step[] = [];
        const head = (values: Float32Array, row: number, which: number, count: number) =>
          values.subarray((row * count + which) * headDim, (row * count + which + 1) * headDim);
        for (let position = 0; position < steps; position++) {
          const step = drawStep(random, 2, headDim);
          past.push(step);
          const output = run(step, [2, 0], [position, position], cache, headDim);
          const expected = [0, 1].flatMap((row) =>
            Array.from({ length: HEADS }, (_, h) =>
              attendReference(
                head(step.q, row, h, HEADS),
                past.map(({ k }) => head(k, row, Math.floor(h / 2), KV_HEADS)),
                past.map(({ v }) => head(v, row, Math.floor(h / 2), KV_HEADS)),
              ),
            ).flat(),
          );
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
        const slots = [4, 1, 0, 3];
        const beside = emptyCache(5, 80, headDim);
        const alone = emptyCache(1, 90, headDim);
        const part = (values: Float32Array) => values.subarray(values.length / 4, values.length / 2);
        for (let position = 0; position < 66; position++) {
          const step = drawStep(random, 4, headDim);
          const among = run(step, slots, [0, position, position, 70], beside, headDim);
          const single = { q: part(step.q), k: part(step.k), v: part(step.v) };
          const own = run(single, [0], [position], alone, headDim);
          if (position % 13 === 0 || position > 60) {
            expect(
              await bitDifference(`position ${position}`, own, tf.slice(among, [1, 0], [1, -1]), random.seed),
            ).toBeNull();
          }
        }
      },
    );
  });

  describe('fillCache', () => {
    test('copies prompts to slots, some of them twice, and leaves the rest', async () => {
      const random = freshInputs();
      const [capacity, length, width] = [5, 3, 7];
      const rows = random.floats(2 * length * width);
      const cache = tf.fill([4, capacity, width], -1);
      const sources = [1, 0, 1];
      fillCache(cache, tf.tensor2d(rows, [2 * length, width]), tf.tensor1d(sources, 'int32'), { length });
      const expected = new Float64Array(4 * capacity * width).fill(-1);
      sources.forEach((source, slot) => {
        expected.set(
          rows.subarray(source * length * width, (source + 1) * length * width),
          slot * capacity * width,
        );
      });
      expect(await difference('cache', cache, expected, 0, random.seed)).toBeNull();
    });

    test('a cache that was read before shows the new values: no stale copy stays on the host', async () => {
      const cache = tf.zeros([1, 2, 2]);
      expect([...(await cache.data())]).toEqual([0, 0, 0, 0]);
      fillCache(cache, tf.tensor2d([[5, 6]]), tf.tensor1d([0], 'int32'), { length: 1 });
      expect([...(await cache.data())]).toEqual([5, 6, 0, 0]);
    });
  });
}
