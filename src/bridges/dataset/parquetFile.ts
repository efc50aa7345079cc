/** A parquet file of which the library reads only bytes that were checked. */
import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import type { OpenFile } from '@rl-playground/engine/parts';
import { checkFooter, checkPages, type ColumnChunk } from './parquetBounds.ts';

/** The bytes of a file's end that are read at once, which hold most footers. */
const TAIL_BYTES = 2 ** 19;

/** A chunk of a chosen column in the file. */
export interface PlacedChunk extends ColumnChunk {
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

export function chunksOf(
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
      return [{ begin, end, codec: column.codec, rows: Number(num_rows), optional, boolean }];
    }),
  );
}

/** A file whose end is read once, and which gives out only chunks whose pages say what can be. */
export class CheckedFile {
  readonly byteLength: number;
  /** The error of the file's own reader. */
  failed: unknown = null;
  readonly #file: OpenFile;
  readonly #chunks: { readonly begin: number; readonly bytes: Uint8Array }[] = [];
  readonly #tailBegin: number;
  #tail: Promise<Uint8Array> | null = null;

  constructor(file: OpenFile) {
    this.#file = file;
    this.byteLength = file.size;
    this.#tailBegin = Math.max(0, file.size - TAIL_BYTES);
  }

  async #read(begin: number, end: number): Promise<Uint8Array> {
    try {
      if (begin < this.#tailBegin) return await this.#file.read(begin, end);
      this.#tail ??= this.#file.read(this.#tailBegin, this.#file.size);
      return (await this.#tail).subarray(begin - this.#tailBegin, end - this.#tailBegin);
    } catch (error) {
      this.failed = error;
      throw error;
    }
  }

  /** @throws Error for a footer that says what can't be, and what the file's reader throws. */
  async checkFooter(): Promise<void> {
    const size = this.byteLength;
    if (size < 12) throw new Error(`${size} bytes are no parquet file`);
    const last = await this.#read(size - 8, size);
    const length = new DataView(last.buffer, last.byteOffset, 8).getUint32(0, true);
    if (length > size - 8) throw new Error(`its footer is said to have ${length} of ${size} bytes`);
    checkFooter(await this.#read(size - 8 - length, size - 8));
  }

  /** Reads the chunks that will be given out. @throws Error for a page that says what can't be, and what the file's reader throws. */
  async takeChunks(chunks: readonly PlacedChunk[]): Promise<void> {
    for (const chunk of chunks) {
      const { begin, end } = chunk;
      if (!(begin >= 0 && begin < end && end <= this.byteLength))
        throw new Error(`a column lies at bytes ${begin} to ${end} of ${this.byteLength}`);
      const bytes = await this.#read(begin, end);
      checkPages(bytes, chunk);
      this.#chunks.push({ begin, bytes });
    }
  }

  /**
   * Gives the footer at first, then the chunks that were taken and zeros between them. It never fails, because the library does not await each
   * part.
   */
  async slice(begin: number, end = this.byteLength): Promise<ArrayBuffer> {
    // Others read the same bytes, so the library gets a copy.
    if (this.#chunks.length === 0) return new Uint8Array(await this.#read(begin, end)).buffer;
    const bytes = new Uint8Array(end - begin);
    for (const chunk of this.#chunks) {
      const from = Math.max(begin, chunk.begin);
      const to = Math.min(end, chunk.begin + chunk.bytes.length);
      if (from < to) bytes.set(chunk.bytes.subarray(from - chunk.begin, to - chunk.begin), from - begin);
    }
    return bytes.buffer;
  }
}
