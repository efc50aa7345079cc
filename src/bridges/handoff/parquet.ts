/** Rows for verl's data loader: prompts as lists of messages, and all for the reward as one text. */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { openBytes, type OpenFile } from '@rl-playground/engine/parts';
import type { HandoffRow } from './rows.ts';

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;

/** The tree of columns, from the top down, as parquet lists them. */
const SCHEMA = [
  { name: 'root', num_children: 5 },
  { name: 'data_source', ...TEXT },
  { name: 'prompt', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', repetition_type: 'OPTIONAL', num_children: 2 },
  { name: 'role', ...TEXT },
  { name: 'content', ...TEXT },
  { name: 'ability', ...TEXT },
  { name: 'reward_model', repetition_type: 'OPTIONAL', num_children: 2 },
  { name: 'style', ...TEXT },
  { name: 'ground_truth', ...TEXT },
  { name: 'extra_info', repetition_type: 'OPTIONAL', num_children: 2 },
  { name: 'split', ...TEXT },
  { name: 'index', type: 'INT32', repetition_type: 'OPTIONAL' },
] as const;

/** `split` goes into `extra_info`. */
export function rowsAsParquet(rows: readonly HandoffRow[], split: string): OpenFile {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({ writer, schema: SCHEMA.map((element) => ({ ...element })) });
  const columns: Readonly<Record<string, unknown[]>> = {
    data_source: rows.map(({ task }) => `rl_playground/${task}`),
    prompt: rows.map(({ prompt }) => prompt.map(({ role, content }) => ({ role, content }))),
    ability: rows.map(({ task }) => task),
    reward_model: rows.map(({ part, problem }) => ({
      style: 'rule',
      ground_truth: `{"part": ${part}, "problem": ${problem}}`,
    })),
    extra_info: rows.map(({ index }) => ({ split, index })),
  };
  void parquet.write({ columnData: Object.entries(columns).map(([name, data]) => ({ name, data })) });
  void parquet.finish();
  return openBytes(new Uint8Array(writer.getBuffer()));
}
