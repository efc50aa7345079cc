/** Checks blocks for numbers that are not finite, by their scales alone: everything else in a block is a small whole number. */
import { BLOCK_SHAPES, type BlockFormat } from '../../kernels/blockFormats/blockFormats.ts';

/** The places of the 16-bit floats of a block. */
const HALVES: Readonly<Record<BlockFormat, readonly number[]>> = {
  q4_0: [0],
  q4_1: [0, 2],
  q5_0: [0],
  q5_1: [0, 2],
  q8_0: [0],
  q2_k: [80, 82],
  q3_k: [108],
  q4_k: [0, 2],
  q5_k: [0, 2],
  q6_k: [208],
  iq4_nl: [0],
  iq4_xs: [0],
};

/** The number of values in blocks whose scale or minimum is NaN or infinite. */
export function notFiniteInBlocks(format: BlockFormat, bytes: Uint8Array): number {
  const { elements, bytes: size } = BLOCK_SHAPES[format];
  let wrong = 0;
  for (let block = 0; block < bytes.length; block += size)
    if (HALVES[format].some((at) => ((bytes[block + at + 1] as number) & 0x7c) === 0x7c)) wrong++;
  return wrong * elements;
}
