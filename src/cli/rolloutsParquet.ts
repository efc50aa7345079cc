/** Writes `rollouts.parquet`: the completions of a run as one table, for DuckDB, pandas, polars and the Hub's viewer. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileWriter, ParquetWriter, schemaFromColumnData, type BasicType } from 'hyparquet-writer';
import { isJsonObject, parsedJson } from '@rl-playground/base/json';
import type { rolloutRecord } from '@rl-playground/run/records';
import { DRAFT, sync, writing, linesOf } from '@rl-playground/run/disk';

/** The number of rows in memory, which are written as one row group. */
const GROUP_ROWS = 10_000;

type ColumnName = keyof ReturnType<typeof rolloutRecord>;

/**
 * Every field of a line of `rollouts.jsonl`; each may be null. The parts of a reward, whose names are the task's, and the numbers of tokens
 * are JSON.
 */
const COLUMNS = {
  step: 'INT32',
  group: 'INT32',
  problem_index: 'INT32',
  attempt: 'INT32',
  task: 'STRING',
  question: 'STRING',
  answer: 'STRING',
  completion: 'STRING',
  extracted: 'STRING',
  prompt_tokens: 'INT32',
  completion_tokens: 'INT32',
  reward: 'DOUBLE',
  reward_parts: 'JSON',
  reward_reason: 'STRING',
  correct: 'BOOLEAN',
  format: 'BOOLEAN',
  advantage: 'DOUBLE',
  trained_on: 'BOOLEAN',
  stop_reason: 'STRING',
  policy_version: 'INT32',
  policy_age: 'INT32',
  mean_logprob: 'DOUBLE',
  prompt_ids: 'JSON',
  tokens: 'JSON',
  logprobs: 'JSON',
  advantages: 'JSON',
  train_logprobs: 'JSON',
  old_logprobs: 'JSON',
  reference_logprobs: 'JSON',
  entropies: 'JSON',
} as const satisfies Readonly<Record<ColumnName, BasicType>>;
const ENTRIES = Object.entries(COLUMNS) as readonly (readonly [ColumnName, (typeof COLUMNS)[ColumnName]])[];

type Row = Readonly<Record<string, unknown>>;

const MOST_32 = 2 ** 31;

/** The values that a column can hold; a column of JSON holds any. */
const FITS: Readonly<Record<(typeof COLUMNS)[ColumnName], (value: unknown) => boolean>> = {
  INT32: (value) => Number.isInteger(value) && Math.abs(value as number) < MOST_32,
  DOUBLE: (value) => typeof value === 'number',
  BOOLEAN: (value) => typeof value === 'boolean',
  STRING: (value) => typeof value === 'string',
  JSON: () => true,
};

/** @throws Error naming the field that a column can't hold */
function checkedRow(value: unknown, at: (why: string) => string): Row {
  if (!isJsonObject(value)) throw new Error(at('a line must be an object'));
  for (const [name, type] of ENTRIES) {
    const cell = value[name] ?? null;
    if (cell !== null && !FITS[type](cell)) throw new Error(at(`"${name}" is no ${type}`));
  }
  return value;
}

const columnData = (rows: readonly Row[]) =>
  ENTRIES.map(([name, type]) => ({ name, type, data: rows.map((row) => row[name] ?? null), nullable: true }));

/** The rows of a file, whose last line may be torn off because a run was killed. @throws Error naming the line that can't be read */
async function* rowsOf(path: string, torn: (text: string) => void): AsyncGenerator<Row> {
  let number = 0;
  let broken: string | null = null;
  for await (const line of linesOf(path)) {
    number++;
    if (broken !== null) throw new Error(broken);
    if (line.trim() === '') continue;
    const json = parsedJson(line);
    const at = (why: string): string => `${path}, line ${number}: ${why}.`;
    if ('error' in json) broken = at(json.error);
    else yield checkedRow(json.value, at);
  }
  if (broken !== null)
    torn(`${broken} It is the last line, which was not written to its end, and is left out.`);
}

/**
 * Writes all lines of `source` to `target`, and replaces an existing file. Resolves to the number of rows.
 *
 * @throws Error naming a line that can't be read; WriteError
 */
export async function writeRolloutsParquet(
  source: string,
  target: string,
  say: (text: string) => void,
): Promise<number> {
  const draft = target + DRAFT;
  writing(target, () => mkdirSync(dirname(target), { recursive: true }));
  try {
    const writer = writing(draft, () => {
      // An earlier process may have left one, or a stranger a link to another file, which the library would follow.
      rmSync(draft, { force: true });
      writeFileSync(draft, '', { flag: 'wx' });
      return fileWriter(draft);
    });
    const parquet = new ParquetWriter({
      writer,
      schema: schemaFromColumnData({ columnData: columnData([]) }),
    });
    let count = 0;
    let rows: Row[] = [];
    const flush = (): void => {
      const group = rows;
      rows = [];
      count += group.length;
      if (group.length > 0)
        writing(draft, () => void parquet.write({ columnData: columnData(group), rowGroupSize: GROUP_ROWS }));
    };
    for await (const row of rowsOf(source, say)) if (rows.push(row) === GROUP_ROWS) flush();
    flush();
    writing(draft, () => void parquet.finish());
    writing(target, () => {
      sync(draft);
      renameSync(draft, target);
      sync(dirname(target));
    });
    return count;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
