/** Reads tables of parquet files by ranges: only the columns that are asked for are fetched from a large file. */
import { parquetMetadata, parquetReadObjects, parquetSchema, type SchemaTree } from 'hyparquet';
import { messageOf } from '@rl-playground/base/errors';
import { grouped } from '@rl-playground/base/text';
import { valueAt, type Table } from '@rl-playground/tasks/parts';
import type { OpenFile } from '@rl-playground/engine/parts';
import { DatasetError } from './datasetError.ts';
import { checkFooter } from './parquetBounds.ts';
import { checkedBuffer, chunksOf, footerLength, type ReadChunk, TAIL_BYTES } from './parquetFile.ts';
import { charactersOf, jsonValue, withRawDecimals } from './parquetValues.ts';

export interface ParquetColumn {
  readonly name: string;
  /** The names of its fields, where its values are objects. */
  readonly fields: readonly string[];
  /** True if its values are lists, or hold some. */
  readonly lists: boolean;
  /** The packed size in the file. */
  readonly bytes: number;
}

/** Chooses the columns that are read, or fields of them (`reward_model.ground_truth`); throws if none can be. */
export type ChooseColumns = (columns: readonly ParquetColumn[], rows: number) => readonly string[];

const MAGIC = 'PAR1';

export async function isParquet(file: OpenFile): Promise<boolean> {
  if (file.size < MAGIC.length) return false;
  return new TextDecoder().decode(await file.read(0, MAGIC.length)) === MAGIC;
}

/** The most cells of one file, and the most characters in them: a dictionary makes much of little. */
const MOST_CELLS = 50_000_000;
const MOST_CHARACTERS = 400_000_000;

/** True for a column that is a list, or has one in it. */
function hasLists({ children, element }: SchemaTree): boolean {
  return element.repetition_type === 'REPEATED' || children.some(hasLists);
}

/** The fields of a column's objects; none for a list, whose only child repeats. */
function fieldsOf({ children }: SchemaTree): string[] {
  const isList = children.some(({ element }) => element.repetition_type === 'REPEATED');
  return isList ? [] : children.map(({ element }) => element.name);
}

/**
 * Reads the chosen columns of a parquet file, which may be packed with snappy. Lines are rows, from 1. `label` names the file in errors.
 * @throws DatasetError for a file that is broken or packed otherwise, and what `choose` and the file's reader throw.
 */
export async function readParquet(label: string, file: OpenFile, choose: ChooseColumns): Promise<Table> {
  /** Errors of the file's own reader stay as they are. */
  const parsed = async <T>(work: () => Promise<T> | T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new DatasetError(
        `${label}: this parquet file can't be read (${messageOf(error)}). Fetch it again, or give the rows as JSONL.`,
        { cause: error },
      );
    }
  };
  const { size } = file;
  const tail = await file.read(Math.max(0, size - TAIL_BYTES), size);
  const length = await parsed(() => footerLength(tail, size));
  const footer =
    length <= tail.length ? tail.subarray(tail.length - length) : await file.read(size - length, size);
  const { metadata, columns, nodes } = await parsed(() => {
    checkFooter(footer.subarray(0, -8));
    const found = parquetMetadata(footer, { geoparquet: false });
    const schema = parquetSchema(found);
    const sizes = new Map(schema.children.map(({ element }) => [element.name, 0]));
    for (const { columns: inGroup } of found.row_groups)
      for (const { meta_data: column } of inGroup) {
        const [name = ''] = column?.path_in_schema ?? [];
        sizes.set(name, (sizes.get(name) ?? 0) + Number(column?.total_compressed_size ?? 0));
      }
    const listed = schema.children.map((node) => {
      const { name } = node.element;
      return { name, fields: fieldsOf(node), lists: hasLists(node), bytes: sizes.get(name) ?? 0 };
    });
    return { metadata: found, columns: listed, nodes: schema.children };
  });
  const rows = Number(metadata.num_rows);
  const chosen = choose(columns, rows);
  const isChosen = (name: string) => chosen.some((each) => each === name || each.startsWith(`${name}.`));
  const read = new Map(
    nodes.map((node) => [node.element.name, node] as const).filter(([name]) => isChosen(name)),
  );
  const placed = await parsed(() => {
    const inGroups = metadata.row_groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
    if (inGroups !== rows) throw new Error(`its groups have ${inGroups} rows, and its footer says ${rows}`);
    if (rows * read.size > MOST_CELLS)
      throw new Error(`${grouped(rows)} rows of ${read.size} columns are too much at once`);
    return chunksOf(size, metadata, read);
  });
  const chunks: ReadChunk[] = [];
  for (const chunk of placed) chunks.push({ ...chunk, bytes: await file.read(chunk.begin, chunk.end) });
  const records = await parsed(async () => {
    const all = await parquetReadObjects({
      file: checkedBuffer(size, chunks),
      metadata: withRawDecimals(metadata),
      columns: [...read.keys()],
      geoparquet: false,
      utf8: false,
    });
    const characters = all.reduce((sum, record) => sum + charactersOf(record), 0);
    if (characters > MOST_CHARACTERS)
      throw new Error(
        `its rows unpack to ${grouped(characters)} characters; at most ${grouped(MOST_CHARACTERS)} are read`,
      );
    return all;
  });
  const jsonRecord = (record: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries([...read].map(([name, node]) => [name, jsonValue(record[name], node)]));
  return {
    format: 'parquet',
    columns: chosen,
    records: records.map(jsonRecord).map((record, i) => ({
      line: i + 1,
      value: (column) => valueAt(record, chosen[column] ?? ''),
    })),
    bad: [],
  };
}
