import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { isBlockFormat, BLOCK_FORMATS, BLOCK_SHAPES } from './blockFormats.ts';
import { dequantizeBlocks } from './dequantize.ts';

interface Row {
  readonly id: string;
  readonly type: string;
  readonly blocks: string;
  readonly values: readonly number[];
}

describeShared('blocks by gguf-py', 'refdata/gguf', (folder) => {
  const rows = (folder ? readFileSync(`${folder}/blocks.jsonl`, 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

  test('every block stands for the same numbers, to the bit', () => {
    const tried = new Set<string>();
    for (const { id, type, blocks, values } of rows) {
      const format = type.toLowerCase();
      if (!isBlockFormat(format)) continue;
      const expected = Float32Array.from(values);
      const found = dequantizeBlocks(format, new Uint8Array(Buffer.from(blocks, 'base64')));
      expect([id, ...new Uint32Array(found.buffer)]).toEqual([id, ...new Uint32Array(expected.buffer)]);
      tried.add(format);
    }
    expect(tried).toEqual(new Set(BLOCK_FORMATS));
  });
});

test('Q4_1 by hand: the lower half of byte 0 is element 0, the upper half element 16', () => {
  const bytes = new Uint8Array(BLOCK_SHAPES.q4_1.bytes);
  // The scale is 0.5, the offset −2, and byte 0 holds the codes 15 and 1.
  bytes.set([0x00, 0x38, 0x00, 0xc0, 0x1f]);
  const values = dequantizeBlocks('q4_1', bytes);
  expect(values[0]).toBe(5.5);
  expect(values[16]).toBe(-1.5);
  expect(values[1]).toBe(-2);
});

test('a piece of a block is refused with its size', () => {
  expect(() => dequantizeBlocks('q8_0', new Uint8Array(35))).toThrow(
    '35 bytes of q8_0: a block takes 34 bytes',
  );
});
