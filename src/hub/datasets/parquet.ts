/** Tables out of parquet files, read by ranges: of a large file only the columns that are asked for come. */
import { messageOf } from '../../base/errors.ts';
import type { Table } from '../../tasks/custom/readRows.ts';
import type { OpenFile } from '../types.ts';

/** A dataset that can't be had or read. The message is written for the user. */
export class DatasetError extends Error {
  override readonly name: string = 'DatasetError';
}

export interface ParquetColumn {
  readonly name: string;
  /** In the file, packed. */
  readonly bytes: number;
}

/** Says which columns are read, of a file of so many rows. Throws where none can be. */
export type ChooseColumns = (columns: readonly ParquetColumn[], rows: number) => readonly string[];

const MAGIC = 'PAR1';

export async function isParquet(file: OpenFile): Promise<boolean> {
  if (file.size < MAGIC.length) return false;
  return new TextDecoder().decode(await file.read(0, MAGIC.length)) === MAGIC;
}

/** Text, numbers, and yes or no; null for the rest. */
function cell(value: unknown): string | null {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : null;
}

/**
 * The chosen columns of a parquet file, uncompressed or packed with snappy. Lines are rows, from 1. `label` names the file in errors.
 * @throws DatasetError where it is broken or packed otherwise, and what `choose` and the file's reader throw.
 */
export async function readParquet(label: string, file: OpenFile, choose: ChooseColumns): Promise<Table> {
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const unread = (error: unknown): DatasetError =>
    new DatasetError(
      `${label}: this parquet file can't be read (${messageOf(error)}). Fetch it again, or give the rows as JSONL.`,
      { cause: error },
    );
  let failed: unknown = null;
  const buffer = {
    byteLength: file.size,
    // A view of what others read, too: the reader gets bytes of its own.
    slice: async (begin: number, end = file.size) => {
      try {
        return (await file.read(begin, Math.min(end, file.size))).slice().buffer;
      } catch (error) {
        failed = error;
        throw error;
      }
    },
  };
  /** What the file's own reader threw is said as it is. */
  const during = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw failed ?? unread(error);
    }
  };
  const metadata = await during(parquetMetadataAsync(buffer));
  const names = parquetSchema(metadata).children.map(({ element }) => element.name);
  const sizes = new Map(names.map((name) => [name, 0]));
  for (const { columns } of metadata.row_groups)
    for (const { meta_data: column } of columns) {
      const [name = ''] = column?.path_in_schema ?? [];
      sizes.set(name, (sizes.get(name) ?? 0) + Number(column?.total_compressed_size ?? 0));
    }
  const columns = names.map((name) => ({ name, bytes: sizes.get(name) ?? 0 }));
  const chosen = choose(columns, Number(metadata.num_rows));
  const records = await during(parquetReadObjects({ file: buffer, metadata, columns: [...chosen] }));
  return {
    format: 'parquet',
    columns: chosen,
    records: records.map((record, i) => ({
      line: i + 1,
      value: (column) => cell(record[chosen[column] ?? '']),
    })),
    bad: [],
  };
}
