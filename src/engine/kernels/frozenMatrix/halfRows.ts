/** Writes rows of a frozen matrix in f16 from numbers that are on the device, into which an adapter has been merged. */
import { u32 } from '../../backend/dispatch.ts';
import { input, registerOp, runInPlace } from '../../backend/kernelRegistry.ts';
import type { Tensor } from '../../backend/tf.ts';
import { HALF_CODE } from '../shared/halves.ts';
import { launchItems } from '../shared/launch.ts';
import type { FrozenMatrix } from './frozenMatrix.ts';

interface HalfRowsAttributes {
  /** The offsets in `rows` and in the words, in groups of four elements. */
  readonly from: number;
  readonly to: number;
  readonly groups: number;
}

/**
 * Rounds `rows` [n, columns] to f16, to the nearest, and writes them from row `firstRow` of `matrix` on. @throws Error if they are not
 * among its rows, or if it is no matrix in f16.
 */
export function writeHalfRows({ shape, blocks }: FrozenMatrix, firstRow: number, rows: Tensor): void {
  const [allRows, columns] = shape;
  const [count = 0, width] = rows.shape;
  const formats = new Set(blocks.map(({ format }) => format));
  if (
    formats.size !== 1 ||
    !formats.has('f16') ||
    width !== columns ||
    firstRow < 0 ||
    firstRow + count > allRows
  ) {
    throw new Error(
      `writeHalfRows: rows [${rows.shape.join(', ')}] from row ${firstRow} on do not fit a matrix [${shape.join(', ')}] in ${[...formats].join(', ')}.`,
    );
  }
  const groups = columns / 4;
  for (const block of blocks) {
    const begin = Math.max(firstRow, block.firstRow);
    const end = Math.min(firstRow + count, block.firstRow + block.rows);
    if (begin >= end) continue;
    runInPlace(
      'RlHalfRows',
      { rows, words: block.words },
      {
        from: (begin - firstRow) * groups,
        to: (begin - block.firstRow) * groups,
        groups: (end - begin) * groups,
      },
    );
  }
}

/** The fewest groups that are worth waking a thread for. */
const GROUPS_PER_PART = 8192;

registerOp<HalfRowsAttributes>({
  name: 'RlHalfRows',
  wasm(memory, inputs, { from, to, groups }) {
    memory.parallel(
      'storeHalves',
      groups,
      GROUPS_PER_PART,
      memory.pointer(input(inputs, 'rows'), 4 * from),
      memory.pointer(input(inputs, 'words'), 2 * to),
    );
    return [];
  },
  webgpu(gpu, inputs, { from, to, groups }) {
    launchItems(gpu, {
      key: 'half-rows',
      items: groups,
      reads: { 'rows: vec4f': input(inputs, 'rows') },
      writes: { 'words: vec2u': input(inputs, 'words') },
      uniforms: { first: u32(from), place: u32(to) },
      declarations: () => HALF_CODE,
      body: () => /* wgsl */ `words[params.place + item] = packHalves(rows[params.first + item]);`,
    });
    return [];
  },
});
