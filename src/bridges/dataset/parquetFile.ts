/** The parts of a parquet file that are read, and checked before the library has them. */
import type { AsyncBuffer, FileMetaData, SchemaTree } from 'hyparquet';
import { checkPages, type ColumnChunk } from './parquetBounds.ts';

/** The bytes of a file's end that are read at once, which hold most footers. */
export const TAIL_BYTES = 2 ** 19;

/** The most values in the lists of one file: a run of levels makes many of few bytes. */
const MOST_NESTED = 10_000_000;

/** A chunk of a chosen column in the file. */
interface PlacedChunk extends ColumnChunk {
  readonly begin: number;
  readonly end: number;
}

/** The highest levels of a chunk's values, by the elements that lead to them. @throws Error for a path to no values. */
function levelsOf(
  column: SchemaTree,
  path: readonly string[],
): Pick<ColumnChunk, 'definition' | 'repetition'> {
  const elements = [column];
  for (const name of path.slice(1)) {
    const inner = elements.at(-1)?.children.find(({ element }) => element.name === name);
    if (inner !== undefined) elements.push(inner);
  }
  if (elements.length !== path.length || elements.at(-1)?.children.length !== 0)
    throw new Error('a chunk belongs to no column');
  const kinds = elements.map(({ element }) => element.repetition_type);
  return {
    definition: kinds.filter((kind) => kind !== 'REQUIRED').length,
    repetition: kinds.filter((kind) => kind === 'REPEATED').length,
  };
}

/** The chunks of columns in a file of so many bytes. @throws Error for one that lies elsewhere. */
export function chunksOf(
  fileBytes: number,
  metadata: FileMetaData,
  read: ReadonlyMap<string, SchemaTree>,
): PlacedChunk[] {
  return metadata.row_groups.flatMap(({ columns, num_rows }) => {
    const paths = new Set<string>();
    return columns.flatMap(({ meta_data: column }): PlacedChunk[] => {
      const node = read.get(column?.path_in_schema[0] ?? '');
      if (column === undefined || node === undefined) return [];
      const path = column.path_in_schema.join('\n');
      // The library waits for one of two, and an error of the other would be caught by nobody.
      if (paths.has(path)) throw new Error('a column has two chunks in a group');
      paths.add(path);
      const { dictionary_page_offset: dictionary, data_page_offset: data } = column;
      const begin = Number(dictionary === undefined || !dictionary || data < dictionary ? data : dictionary);
      const levels = levelsOf(node, column.path_in_schema);
      const boolean = column.type === 'BOOLEAN';
      const end = begin + Number(column.total_compressed_size);
      if (!(begin >= 0 && begin < end && end <= fileBytes))
        throw new Error(`a column lies at bytes ${begin} to ${end} of ${fileBytes}`);
      return [{ begin, end, codec: column.codec, rows: Number(num_rows), ...levels, boolean }];
    });
  });
}

/** The bytes of a footer with its length and the letters behind it, by the last bytes of a file. @throws Error for what can't be. */
export function footerLength(tail: Uint8Array, fileBytes: number): number {
  if (fileBytes < 12) throw new Error(`${fileBytes} bytes are no parquet file`);
  const length = new DataView(tail.buffer, tail.byteOffset + tail.length - 8, 8).getUint32(0, true);
  if (length > fileBytes - 8) throw new Error(`its footer is said to have ${length} of ${fileBytes} bytes`);
  return length + 8;
}

export type ReadChunk = PlacedChunk & { readonly bytes: Uint8Array };

/** A file as the library reads it: chunks that were checked, and zeros between them. */
export function checkedBuffer(byteLength: number, chunks: readonly ReadChunk[]): AsyncBuffer {
  let left = MOST_NESTED;
  for (const chunk of chunks) {
    const values = checkPages(chunk.bytes, chunk, left);
    if (chunk.repetition > 0) left -= values;
  }
  return {
    byteLength,
    slice(from, to = byteLength) {
      const bytes = new Uint8Array(to - from);
      for (const chunk of chunks) {
        const [begin, end] = [Math.max(from, chunk.begin), Math.min(to, chunk.end)];
        if (begin < end)
          bytes.set(chunk.bytes.subarray(begin - chunk.begin, end - chunk.begin), begin - from);
      }
      return bytes.buffer;
    },
  };
}
