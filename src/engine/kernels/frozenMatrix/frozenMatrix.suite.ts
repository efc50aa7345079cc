import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { bitDifference, difference } from '../testing/compare.ts';
import { randomFrozen, randomWords } from '../testing/frozen.ts';
import { freshInputs } from '../testing/random.ts';
import { gemmReference, inRows, transposed } from '../testing/reference.ts';
import { embedding } from '../embedding/embedding.ts';
import { gemm } from '../gemm/gemm.ts';
import { tokenLogprobs, tokenLogprobsGradient } from '../tokenLogprobs/tokenLogprobs.ts';
import { BLOCK_SHAPES, isBlockFormat } from '../blockFormats/blockFormats.ts';
import { FROZEN_FORMATS, type FrozenFormat, type FrozenMatrix } from './frozenMatrix.ts';
import { wordBytes } from './layout.ts';
import { allocateFrozenMatrix, disposeFrozenMatrix, readFrozenRows, writeFrozenRows } from './storage.ts';

type Shape = readonly [rows: number, columns: number];

/** Three blocks of 64 rows at most; row lengths that are no multiple of a group or of eight. */
const SHAPES: readonly Shape[] = [
  [150, 52],
  [180, 48],
];

/** A shape for a format. Rows of whole blocks are few and so long that more than one piece is unpacked, or many and short. */
function shapeFor(format: FrozenFormat, which: number): Shape {
  if (!isBlockFormat(format)) return SHAPES[which % 2] ?? [150, 52];
  const { elements } = BLOCK_SHAPES[format];
  if (which % 2 === 0) return [70, elements === 32 ? 672 : 768];
  return [150, elements === 32 ? 96 : 256];
}

export function frozenMatrixSuite(): void {
  describe('frozen matrices', () => {
    beforeEach(() => tf.engine().startScope());
    afterEach(() => tf.engine().endScope());

    for (const format of FROZEN_FORMATS) {
      test(`${format}: rows come back as they were written, piece by piece`, async () => {
        const random = freshInputs();
        const [rows, columns] = [150, isBlockFormat(format) ? BLOCK_SHAPES[format].elements : 52];
        const { words } = randomWords(random, format, rows * columns);
        const tensors = tf.memory().numTensors;
        const matrix = allocateFrozenMatrix([rows, columns], format, wordBytes(format, 64 * columns));
        expect(matrix.blocks.map((block) => block.rows)).toEqual([64, 64, 22]);
        const bytes = (count: number) => wordBytes(format, count * columns);
        // Rows 80 to 149 first, so that a piece ends within a block and the order does not matter.
        writeFrozenRows(matrix, 80, words.subarray(bytes(80)));
        writeFrozenRows(matrix, 0, words.subarray(0, bytes(80)));
        const all = await readFrozenRows(matrix, 0, rows);
        expect(all).toEqual(words);
        const some = await readFrozenRows(matrix, 48, 96);
        expect(some).toEqual(words.slice(bytes(48), bytes(144)));
        disposeFrozenMatrix(matrix);
        expect(tf.memory().numTensors).toBe(tensors);
      });
    }

    for (const [i, format] of FROZEN_FORMATS.entries()) {
      for (const layout of ['nt', 'nn'] as const) {
        const [rows, columns] = shapeFor(format, i + (layout === 'nt' ? 0 : 1));
        test(`${format} ${layout} with [${rows}, ${columns}] in blocks has the bits of one in f32`, async () => {
          const random = freshInputs();
          const { matrix, values, wide } = randomFrozen(random, format, [rows, columns]);
          const [m, n, k] = layout === 'nt' ? [5, rows, columns] : [5, columns, rows];
          const left = random.floats(m * k);
          const a = tf.tensor2d(left, [m, k]);
          const bias = { tensor: tf.tensor1d(random.floats(128 + n)), offset: 128, shape: [n] };
          const residual = tf.tensor2d(random.floats(m * n), [m, n]);
          // Each of the two is a kernel of its own. Every format has both, and so has every layout.
          const plain = (layout === 'nn') === i % 4 < 2;
          const ends = plain ? {} : { bias, residual };
          const product = gemm(a, matrix, layout, ends);
          expect(
            await bitDifference('product', product, gemm(a, wide, layout, ends), random.seed),
          ).toBeNull();
          const biases = await bias.tensor.data();
          const residuals = await residual.data();
          const exact = gemmReference(
            { m, n, k },
            inRows(left, k),
            layout === 'nt' ? transposed(inRows(values, columns)) : inRows(values, columns),
          ).map((value, at) =>
            plain ? value : value + (biases[128 + (at % n)] ?? NaN) + (residuals[at] ?? NaN),
          );
          expect(await difference('float64', product, exact, 1e-5, random.seed)).toBeNull();
          const one = (tensor: tf.Tensor): tf.Tensor => tf.slice(tensor, [3, 0], [1, -1]);
          const alone = gemm(one(a), matrix, layout, plain ? {} : { bias, residual: one(residual) });
          expect(await bitDifference('one row alone', alone, one(product), random.seed)).toBeNull();
          disposeFrozenMatrix(matrix);
        });
      }

      test(`${format}: rows are looked up in every block`, async () => {
        const random = freshInputs();
        const [rows, columns] = shapeFor(format, i);
        const { matrix, values } = randomFrozen(random, format, [rows, columns]);
        const ids = Int32Array.from([0, 63, 64, rows - 1, ...random.ints(20, rows)]);
        const expected = Float64Array.from({ length: ids.length * columns }, (_, at) => {
          return values[(ids[Math.floor(at / columns)] ?? 0) * columns + (at % columns)] ?? NaN;
        });
        const y = embedding(matrix, tf.tensor1d(ids, 'int32'));
        expect(await difference('embedding', y, expected, 0, random.seed)).toBeNull();
        disposeFrozenMatrix(matrix);
      });
    }

    test.each(['q4_1', 'q6_k'] as const)(
      '%s: rows of several passes have the same bits alone',
      async (format) => {
        const random = freshInputs();
        const { matrix, wide } = randomFrozen(random, format, [24, 1536]);
        const a = tf.tensor2d(random.floats(5 * 1536), [5, 1536]);
        const among = gemm(a, matrix, 'nt');
        expect(await bitDifference('rows', among, gemm(a, wide, 'nt'), random.seed)).toBeNull();
        const alone = gemm(tf.slice(a, [2, 0], [1, -1]), matrix, 'nt');
        expect(await bitDifference('a row', alone, tf.slice(among, [2, 0], [1, -1]), random.seed)).toBeNull();
        disposeFrozenMatrix(matrix);
      },
    );

    test('rows in several formats: products and look-ups have the bits of one matrix in f32', async () => {
      const random = freshInputs();
      const columns = 256;
      const parts = [
        { rows: 128, format: 'q4_k' },
        { rows: 64, format: 'q5_0' },
        { rows: 30, format: 'f16' },
      ] as const;
      const matrix = allocateFrozenMatrix([222, columns], parts, wordBytes('f16', 30 * columns));
      expect(matrix.blocks.map(({ firstRow, format }) => [firstRow, format])).toEqual([
        [0, 'q4_k'],
        [64, 'q4_k'],
        [128, 'q5_0'],
        [192, 'f16'],
      ]);
      const values = new Float32Array(222 * columns);
      let row = 0;
      for (const { rows, format } of parts) {
        const part = randomWords(random, format, rows * columns);
        writeFrozenRows(matrix, row, part.words);
        values.set(part.values, row * columns);
        row += rows;
      }
      const wide = tf.tensor2d(values, [222, columns]);
      const [x, y] = [
        tf.tensor2d(random.floats(9 * columns), [9, columns]),
        tf.tensor2d(random.floats(9 * 222), [9, 222]),
      ];
      const bias = { tensor: tf.tensor1d(random.floats(222)), offset: 0, shape: [222] };
      const same = async (what: string, ours: tf.Tensor, others: tf.Tensor) =>
        expect(await bitDifference(what, ours, others, random.seed)).toBeNull();
      await same('nt', gemm(x, matrix, 'nt', { bias }), gemm(x, wide, 'nt', { bias }));
      await same('nn', gemm(y, matrix, 'nn', { residual: x }), gemm(y, wide, 'nn', { residual: x }));
      const ids = tf.tensor1d(random.ints(40, 222), 'int32');
      await same('embedding', embedding(matrix, ids), embedding(wide, ids));
      await expect(readFrozenRows(matrix, 112, 32)).rejects.toThrow('in q4_k and q5_0');
      disposeFrozenMatrix(matrix);
    });

    test('a row of a product is the same to the bit alone and among 70', async () => {
      const random = freshInputs();
      const { matrix } = randomFrozen(random, 'bf16', [150, 300]);
      const a = tf.tensor2d(random.floats(70 * 300), [70, 300]);
      const all = gemm(a, matrix, 'nt');
      for (const [from, count] of [
        [37, 1],
        [66, 4],
        [9, 21],
      ] as const) {
        const alone = gemm(tf.slice(a, [from, 0], [count, -1]), matrix, 'nt');
        const among = tf.slice(all, [from, 0], [count, -1]);
        expect(await bitDifference(`${count} rows`, alone, among, random.seed)).toBeNull();
      }
      disposeFrozenMatrix(matrix);
    });

    for (const format of ['bf16', 'q8_0', 'q4_1'] as const) {
      test(`a head in ${format} has the log-probabilities and gradients of one in f32, to the bit`, async () => {
        const random = freshInputs();
        const [rows, vocab, width, rank] = [70, 150, format === 'bf16' ? 52 : 64, 3];
        const { matrix, wide } = randomFrozen(random, format, [vocab, width]);
        const floats = (...shape: number[]) =>
          tf.tensor(
            random.floats(
              shape.reduce((size, extent) => size * extent),
              0.1,
            ),
            shape,
          );
        const hidden = floats(rows, width);
        const targets = tf.tensor1d(random.ints(rows, vocab), 'int32');
        const b = { tensor: floats(rank * vocab), offset: 0, shape: [rank, vocab] };
        const lowRank = { u: floats(rows, rank), b };
        const given = { hidden, targets, dlogprob: floats(rows), dentropy: floats(rows), lowRank };
        const run = (head: FrozenMatrix | tf.Tensor) => {
          const { logprob, entropy } = tokenLogprobs(hidden, head, targets, 0.9, lowRank);
          const db = { tensor: tf.zeros([rank * vocab]), offset: 0, shape: [rank, vocab] };
          const { dhidden, du } = tokenLogprobsGradient({ ...given, head }, 0.9, { head: null, b: db });
          return { logprob, entropy, dhidden, du: du as tf.Tensor, db: db.tensor };
        };
        const [blocks, whole] = [run(matrix), run(wide)];
        for (const name of ['logprob', 'entropy', 'dhidden', 'du', 'db'] as const) {
          expect(await bitDifference(name, blocks[name], whole[name], random.seed)).toBeNull();
        }
        disposeFrozenMatrix(matrix);
      });
    }

    test('what does not fit is refused with its numbers', () => {
      expect(() => allocateFrozenMatrix([10, 6], 'bf16')).toThrow('multiple of 4');
      expect(() => allocateFrozenMatrix([10, 128], 'q6_k')).toThrow('multiple of 256');
      const parts = [
        { rows: 40, format: 'q8_0' },
        { rows: 24, format: 'f16' },
      ] as const;
      expect(() => allocateFrozenMatrix([64, 32], parts)).toThrow('each but the last a multiple of 64');
      expect(() => allocateFrozenMatrix([100, 8], 'f32', 2000)).toThrow(/2048 bytes.*at most 2000/);
      const matrix = allocateFrozenMatrix([40, 8], 'bf16');
      expect(() => writeFrozenRows(matrix, 8, new Uint8Array(16))).toThrow('multiple of 16');
      expect(() => writeFrozenRows(matrix, 0, new Uint8Array(24))).toThrow(/24 bytes.*1 whole rows have 16/);
      expect(() => writeFrozenRows(matrix, 32, new Uint8Array(9 * 16))).toThrow('144 bytes');
      expect(() => gemm(tf.zeros([40, 3]), matrix, 'tn')).toThrow('frozen');
      disposeFrozenMatrix(matrix);
    });
  });
}
