/** The parts of a parquet file that are read, and checked before the library has them. */
import type { AsyncBuffer, FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import { checkPages, type ColumnChunk } from './parquetBounds.ts';

/** The bytes of a file's end that are read at once, which hold most footers. */
export const TAIL_BYTES = 2 ** 19;

/** A chunk of a chosen column in the file. */
interface PlacedChunk extends ColumnChunk {
  readonly begin: number;
  readonly end: number;
}

/** The columns by name, without lists and structs, of which no cell would be text. */
export function flatNames({ children }: SchemaTree): Map<string, SchemaElement> {
  const flat = children.filter(
    ({ children: inside, element }) => inside.length === 0 && element.repetition_type !== 'REPEATED',
  );
  return new Map(flat.map(({ element }) => [element.name, element]));
}

/** The chunks of columns in a file of so many bytes. @throws Error for one that lies elsewhere. */
export function chunksOf(
  fileBytes: number,
  metadata: FileMetaData,
  elements: ReadonlyMap<string, SchemaElement>,
): PlacedChunk[] {
  return metadata.row_groups.flatMap(({ columns, num_rows }) =>
    columns.flatMap(({ meta_data: column }): PlacedChunk[] => {
      const element = elements.get(column?.path_in_schema[0] ?? '');
      if (column === undefined || element === undefined) return [];
      const { dictionary_page_offset: dictionary, data_page_offset: data } = column;
      const begin = Number(dictionary === undefined || !dictionary || data < dictionary ? data : dictionary);
      const optional = element.repetition_type === 'OPTIONAL';
      const boolean = column.type === 'BOOLEAN';
      const end = begin + Number(column.total_compressed_size);
      if (!(begin >= 0 && begin < end && end <= fileBytes))
        throw new Error(`a column lies at bytes ${begin} to ${end} of ${fileBytes}`);
      return [{ begin, end, codec: column.codec, rows: Number(num_rows), optional, boolean }];
    }),
  );
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
  for (const chunk of chunks) checkPages(chunk.bytes, chunk);
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
