import { messageOf } from '../errors.ts';
import { DatasetError, rowsOf, type ReadRows } from './rows.ts';

const COLUMNS = ['question', 'answer'];
const MAGIC = 'PAR1';

export function isParquet(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/**
 * Reads the columns question and answer of a parquet file, uncompressed or packed with snappy. `label` names the file in errors.
 * @throws DatasetError where it is broken, packed otherwise, or lacks a column.
 */
export async function readParquet(label: string, bytes: Uint8Array): Promise<ReadRows> {
  const { parquetMetadata, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const file = bytes.slice().buffer;
  try {
    const metadata = parquetMetadata(file);
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    const missing = COLUMNS.filter((name) => !names.includes(name));
    if (missing.length > 0)
      throw new DatasetError(
        `${label}: its columns are ${names.join(', ')}; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing. Give a file with the columns question and answer.`,
      );
    const records = await parquetReadObjects({ file, metadata, columns: COLUMNS });
    return rowsOf(records.map((value, i) => ({ line: i + 1, value })));
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    throw new DatasetError(
      `${label}: this parquet file can't be read (${messageOf(error)}). Fetch it again, or give the rows as JSONL.`,
      { cause: error },
    );
  }
}
