import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { EmbeddingAttributes, EmbeddingGradientAttributes } from './attributes.ts';

/** Rows that one thread looks up at least. */
const ROWS = 512;
/** Columns that one thread adds up at least; a multiple of four. */
const COLUMNS = 32;

export function embeddingOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { tableOffset, vocabSize, width }: EmbeddingAttributes,
): TensorInfo[] {
  const ids = input(inputs, 'ids');
  const [rows = 0] = ids.shape;
  checkIds(memory.ints(ids), vocabSize);
  const output = memory.allocate([rows, width], 'float32');
  const table = memory.pointer(input(inputs, 'table'), tableOffset);
  memory.parallel('embedding', rows, ROWS, table, memory.pointer(ids), memory.pointer(output), width);
  return [output];
}

export function embeddingGradientOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { targetOffset, vocabSize }: EmbeddingGradientAttributes,
): TensorInfo[] {
  const dy = input(inputs, 'dy');
  const ids = input(inputs, 'ids');
  const [rows = 0, width = 0] = dy.shape;
  checkIds(memory.ints(ids), vocabSize);
  memory.parallel(
    'embeddingGradient',
    width,
    COLUMNS,
    memory.pointer(dy),
    memory.pointer(ids),
    memory.pointer(input(inputs, 'target'), targetOffset),
    rows,
    width,
  );
  return [];
}

/** A wrong id would read or write somebody else's memory. */
function checkIds(ids: Int32Array, vocabSize: number): void {
  const wrong = ids.findIndex((id) => id < 0 || id >= vocabSize);
  if (wrong >= 0) {
    throw new Error(
      `embedding: id ${ids[wrong]} at position ${wrong}; ids must be from 0 to ${vocabSize - 1}.`,
    );
  }
}
