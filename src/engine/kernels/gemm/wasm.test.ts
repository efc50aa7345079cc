import { expect, test } from 'vitest';
import { ROOM_BYTES } from '../../backend/sharedHeap.ts';
import { pieceElsewhere } from './wasm.ts';

test('a piece of a product on another heap fits into its room, whatever the shape', () => {
  const room = (ROOM_BYTES - 2 ** 17) / 4;
  // 100 rows by the head of SmolLM2, one row by that of Gemma 3, and all sizes of small shapes.
  const shapes: [number, number, number][] = [
    [100, 49_152, 576],
    [9, 49_152, 576],
    [1, 262_144, 640],
    [4096, 1536, 576],
    [60_000, 96, 8],
    [4096, 576, 49_152],
  ];
  for (let m = 1; m < 2000; m = Math.ceil(1.3 * m))
    for (const n of [1, 64, 192, 1536, 49_152]) shapes.push([m, n, 576]);
  for (const [m, n, k] of shapes) {
    const { rows, columns, lengths } = pieceElsewhere(room, { m, n, k });
    expect(rows).toBeGreaterThan(0);
    expect(columns).toBeGreaterThan(0);
    expect(lengths.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(room);
  }
});
