/**
 * `run.json` of a run directory: the facts, besides the settings, that continuing the run needs. The user's own tasks and rows are beside
 * it, if the run has some, under the names that they have in a checkpoint.
 */
import * as z from 'zod';
import { checked, jsonText } from '@rl-playground/base/json';
import { type RunConfig, SETTINGS_VERSION } from '@rl-playground/run/settings';
import { filesInFolder, inside } from '@rl-playground/engine/parts/node';
import { runDataFiles, runDataOf, RunFiles, type RunData } from '@rl-playground/run/checkpoint';
import { replaceFile, readText } from '@rl-playground/run/disk';

export const START_FILE = 'run.json';

/** The format's number, which is raised whenever an older reader would misunderstand a record. */
const FORMAT = 1;

const originSchema = z.object({
  name: z.string(),
  revision: z.string().nullable(),
  commit: z.string().nullable(),
  hubUrl: z.string().nullable(),
});

const schema = z.object({
  format_version: z.literal(FORMAT),
  /** The version of the run's settings (settingsVersion.ts); 0 if it is missing. */
  settings_version: z.int().nonnegative().default(0),
  /** The backend; null until it is known, if the page chooses it. */
  backend: z.enum(['webgpu', 'wasm']).nullable(),
  /** True if checkpoints hold the base of an adapter, too. */
  full: z.boolean(),
  /** The model, if it is not one that the page knows by name. */
  model: z
    .object({
      /** The label that is shown and recorded. */
      label: z.string(),
      /** The folders or zips on this machine. A model of the Hub has its place in the cache. */
      paths: z.object({ model: z.string(), adapter: z.string().nullable() }),
      /** The name of the adapter beside it; null for none. */
      adapter: z.string().nullable(),
      /** The origin; null for a model of this machine. */
      origin: originSchema.nullable(),
    })
    .nullable(),
  /** The reward model, if the run has one. */
  reward_model: z
    .object({ name: z.string(), path: z.string(), origin: originSchema.nullable() })
    .nullable()
    .default(null),
});
export interface StartRecord extends Pick<z.infer<typeof schema>, 'backend' | 'full' | 'model'> {
  readonly rewardModel?: z.infer<typeof schema>['reward_model'];
}

/** @throws WriteError */
export function writeStart(folder: string, { rewardModel, ...record }: StartRecord): void {
  const json = {
    format_version: FORMAT,
    settings_version: SETTINGS_VERSION,
    ...record,
    ...(rewardModel && { reward_model: rewardModel }),
  } satisfies z.input<typeof schema>;
  replaceFile(inside(folder, START_FILE), jsonText(json));
}

/** Reads the record, with the version of the run's settings. @throws Error if there is none, or if it can't be read. */
export function readStart(folder: string): { readonly start: StartRecord; readonly settingsVersion: number } {
  const {
    backend,
    full,
    model,
    reward_model: rewardModel,
    settings_version: settingsVersion,
  } = checked(schema, JSON.parse(readText(inside(folder, START_FILE))));
  return { start: { backend, full, model, rewardModel }, settingsVersion };
}

/** @throws WriteError */
export function writeStartData(folder: string, data: RunData): void {
  for (const [name, bytes] of runDataFiles(data))
    replaceFile(inside(folder, name), new TextDecoder().decode(bytes));
}

/** Reads the data of `writeStartData`. @throws Error naming the file that can't be read. */
export async function readStartData(folder: string, config: RunConfig): Promise<RunData> {
  return runDataOf(await RunFiles.read(filesInFolder(folder)), config);
}
