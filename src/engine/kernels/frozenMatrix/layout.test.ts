import { expect, test } from 'vitest';
import { cutRows, frozenBytes, wordBytes } from './layout.ts';

const MIB = 2 ** 20;

test('bytes of a 151,936 x 896 embedding, by hand', () => {
  const shape = [151_936, 896] as const;
  const elements = 151_936 * 896;
  expect(frozenBytes(shape, 'f32')).toBe(4 * elements);
  expect(frozenBytes(shape, 'bf16')).toBe(272_269_312);
  // 9 bits for each element: 8 and a 32nd of a scale; 4.5: 4 and a 64th.
  expect(frozenBytes(shape, 'q8')).toBe((elements * 9) / 8);
  expect(frozenBytes(shape, 'q4')).toBe((elements * 9) / 16);
  expect(frozenBytes(shape, 'q5_0')).toBe((elements / 32) * 22);
  // 3 blocks of 18 bytes, rounded up to whole words.
  expect(frozenBytes([3, 32], 'q4_0')).toBe(56);
});

test('blocks hold every row once, begin at multiples of 64 and fit what the device binds', () => {
  for (const format of ['f32', 'f16', 'q8', 'q4'] as const) {
    for (const [rows, columns] of [
      [151_936, 896],
      [49_152, 576],
      [960, 576],
      [3, 4],
    ] as const) {
      const blocks = cutRows([rows, columns], [{ rows, format }], 128 * MIB);
      let next = 0;
      for (const block of blocks) {
        expect(block.firstRow).toBe(next);
        expect(block.firstRow % 64).toBe(0);
        expect(wordBytes(format, block.rows * columns)).toBeLessThanOrEqual(128 * MIB);
        next += block.rows;
      }
      expect(next).toBe(rows);
    }
  }
  expect(cutRows([151_936, 896], [{ rows: 151_936, format: 'f32' }], 128 * MIB).length).toBe(5);
});
