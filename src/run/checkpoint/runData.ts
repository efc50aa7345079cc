/** The user's own data that a run asks and learns from, as files: so that a checkpoint, or a run directory, needs nothing from beside it. */
import * as z from 'zod';
import { checked, jsonBytes } from '@rl-playground/base/json';
import type { RunConfig } from '../settings/schema/schema.ts';
import { readSftRows, writeSftRows } from '../sft/sftRows.ts';
import { customTaskSchema, dataOriginSchema } from '@rl-playground/tasks/parts';
import { wantedFile } from '../sft/sftData.ts';
import type { CheckpointParts } from './checkpointParts.ts';
import { RUN_FILES, type RunFiles } from './runFiles.ts';

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

/** The files by their names; a run without data of its own has none. */
export function runDataFiles({ customTasks, taskRows, sftFile }: RunData): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  if (customTasks.length > 0) files.set(RUN_FILES.customTasks, jsonBytes({ tasks: customTasks }));
  if (taskRows) files.set(RUN_FILES.taskRows, jsonBytes({ tasks: taskRows }));
  if (sftFile) files.set(RUN_FILES.sft, new TextEncoder().encode(writeSftRows(sftFile.rows)));
  return files;
}

/** The inverse of `runDataFiles`. The settings name the rows of the warm-up. @throws CheckpointError naming the file that can't be read */
export function runDataOf(files: RunFiles, config: RunConfig | null): RunData {
  const name = config && wantedFile(config);
  const taskRows = files.json(RUN_FILES.taskRows, (json) => checked(taskRowsSchema, json).tasks);
  const rows = name && files.text(RUN_FILES.sft, (text) => readSftRows(text, name));
  return {
    customTasks: files.json(RUN_FILES.customTasks, (json) => checked(customTasksSchema, json).tasks) ?? [],
    ...(taskRows && { taskRows }),
    ...(name !== null && rows && { sftFile: { name, rows } }),
  };
}
