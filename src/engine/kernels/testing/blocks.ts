/** Random blocks of every format, in which all bits count. */
import { BLOCK_SHAPES, type BlockFormat } from '../blockFormats/blockFormats.ts';
import type { RandomInputs } from './random.ts';

/** The halves of a block by their first bytes, and magnitudes with which its numbers are about as large as weights are. */
const HALVES: Readonly<Record<BlockFormat, readonly (readonly [at: number, size: number])[]>> = {
  q4_0: [[0, 0.02]],
  q4_1: [
    [0, 0.02],
    [2, 0.1],
  ],
  q5_0: [[0, 0.01]],
  q5_1: [
    [0, 0.01],
    [2, 0.1],
  ],
  q8_0: [[0, 0.002]],
  q2_k: [
    [80, 0.01],
    [82, 0.01],
  ],
  q3_k: [[108, 0.003]],
  q4_k: [
    [0, 0.0005],
    [2, 0.002],
  ],
  q5_k: [
    [0, 0.0002],
    [2, 0.002],
  ],
  q6_k: [[208, 0.0001]],
  iq4_nl: [[0, 0.002]],
  iq4_xs: [[0, 0.0001]],
};

/** Random bits, and halves of both signs up to their magnitude; some of them are subnormal. */
export function randomBlocks(
  random: RandomInputs,
  format: BlockFormat,
  elements: number,
): Uint8Array<ArrayBuffer> {
  const shape = BLOCK_SHAPES[format];
  const count = elements / shape.elements;
  const bytes = Uint8Array.from(random.ints(count * shape.bytes, 256));
  const view = new DataView(bytes.buffer);
  for (const [at, size] of HALVES[format]) {
    // The bits of a half that is at least `size`: all below it are smaller, down to the subnormal ones.
    const most = (Math.floor(Math.log2(size)) + 16) << 10;
    const bits = random.ints(count, most);
    const kinds = random.ints(count, 16);
    for (let block = 0; block < count; block++) {
      const kind = kinds[block] ?? 0;
      const magnitude = kind < 2 ? (bits[block] ?? 0) : most - ((bits[block] ?? 0) & 0xfff);
      view.setUint16(block * shape.bytes + at, magnitude | (kind & 1 ? 0x8000 : 0), true);
    }
  }
  return bytes;
}
