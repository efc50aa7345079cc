/** The user's own data that a run asks and learns from, as files: so that a checkpoint, or a run directory, needs nothing from beside it. */
import * as z from 'zod';
import { checked, jsonBytes } from '@rl-playground/base/json';
import type { RunConfig } from '../settings/schema/schema.ts';
import { readSftRows, writeSftRows } from '../sft/sftRows.ts';
import { customTaskSchema, dataOriginSchema } from '@rl-playground/tasks/parts';
import { wantedFile } from '../sft/sftData.ts';
import type { CheckpointParts } from './checkpointParts.ts';

export const RUN_DATA_FILES = {
  customTasks: 'own_tasks.json',
  taskRows: 'dataset_rows.json',
  /** Rows of the user's that the warm start learns from. */
  sft: 'warm_start.jsonl',
} as const;

export type RunData = Pick<CheckpointParts, 'customTasks' | 'taskRows' | 'sftFile'>;

const customTasksSchema = z.object({ tasks: z.array(customTaskSchema) });
const rowsSchema = z.array(z.object({ question: z.string(), answer: z.string() })).readonly();
const taskRowsSchema = z.object({
  tasks: z.array(
    z.object({
      task: z.string(),
      origin: dataOriginSchema.exactOptional(),
      train: rowsSchema,
      test: rowsSchema,
    }),
  ),
});

/** By their names; none for a run that has no data of its own. */
export function runDataFiles({ customTasks, taskRows, sftFile }: RunData): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  if (customTasks.length > 0) files.set(RUN_DATA_FILES.customTasks, jsonBytes({ tasks: customTasks }));
  if (taskRows) files.set(RUN_DATA_FILES.taskRows, jsonBytes({ tasks: taskRows }));
  if (sftFile) files.set(RUN_DATA_FILES.sft, new TextEncoder().encode(writeSftRows(sftFile.rows)));
  return files;
}

/** The inverse of `runDataFiles`. `read`: parses the file of a name, null where there is none; `config`: names the rows of the warm start. */
export async function readRunData(
  read: <T>(name: string, parse: (bytes: Uint8Array) => T) => Promise<T | null>,
  config: RunConfig | null,
): Promise<RunData> {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  const customTasks = await read(
    RUN_DATA_FILES.customTasks,
    (bytes) => checked(customTasksSchema, JSON.parse(text(bytes))).tasks,
  );
  const taskRows = await read(
    RUN_DATA_FILES.taskRows,
    (bytes) => checked(taskRowsSchema, JSON.parse(text(bytes))).tasks,
  );
  const name = config && wantedFile(config);
  const rows =
    name === null ? null : await read(RUN_DATA_FILES.sft, (bytes) => readSftRows(text(bytes), name));
  return {
    customTasks: customTasks ?? [],
    ...(taskRows && { taskRows }),
    ...(name !== null && rows && { sftFile: { name, rows } }),
  };
}
