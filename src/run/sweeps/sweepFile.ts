/**
 * `sweep.json`: a sweep, which is the same runs under several settings and seeds, with what each has come to. The command line writes it as
 * runs end (`npx rl-playground sweep`) and goes on from it; the page opens it.
 */
import { z } from 'zod';
import { messageOf } from '@rl-playground/base/errors';
import { checked } from '@rl-playground/base/json';

export const SWEEP_FILE = 'sweep.json';
/** The folder, in the sweep's own, with the run directories of runs that have ended, each under its run's name. */
export const SWEEP_RUNS = 'runs';

/** Raised whenever an older reader would misunderstand a file. */
const FORMAT = 1;

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);
const metric = z.number().nullable();

const evaluationSchema = z.object({
  accuracy: share,
  format: z.number(),
  n: count,
  temperature: z.number(),
  greedy: z.object({ accuracy: share, format: z.number() }).optional(),
  passAtK: z.object({ k: count, accuracy: share }).optional(),
});
export type SweepEvaluation = z.infer<typeof evaluationSchema>;

/** The fields of a `train --json` record that sweeps look at; the rest stays as it is. */
const recordSchema = z.looseObject({
  task: z.string(),
  seed: count,
  steps: count,
  evalBefore: evaluationSchema.nullable(),
  evalAfter: evaluationSchema.nullable(),
  collapse: z.string().nullable(),
  curve: z.array(
    z.looseObject({ step: count, reward: metric, accuracy: metric, format: metric, kl: metric }),
  ),
  wallSeconds: z.number(),
});
export type SweepRecord = z.infer<typeof recordSchema>;

const settingsSchema = z.record(z.string(), z.unknown());

const runSchema = z.object({
  /** The name of its folder, which no other run of the sweep has. */
  name: z.string().regex(/^[\w.-]+$/),
  task: z.string(),
  seed: count,
  /** Its point of the grid: a value for each of `axes`. */
  settings: settingsSchema,
  /** The record is null until the run has ended. */
  record: recordSchema.nullable(),
  /** The reason of its last failure, or null. */
  error: z.string().nullable(),
});
export type SweepRun = z.infer<typeof runSchema>;

const fileSchema = z.object({
  format_version: z.literal(FORMAT),
  /** The settings that vary, in the order of the grid, by their names in the code. */
  axes: z.array(z.string()),
  /** Names what all of its runs are to be. */
  grid: z.string(),
  runs: z.array(runSchema),
});
export type Sweep = Omit<z.infer<typeof fileSchema>, 'format_version'>;

export function writeSweep({ axes, grid, runs }: Sweep): string {
  const file: z.infer<typeof fileSchema> = { format_version: FORMAT, axes, grid, runs };
  return `${JSON.stringify(file)}\n`;
}

/** @throws Error saying what is wrong with the text. */
export function readSweep(text: string): Sweep {
  try {
    const { format_version: _, ...sweep } = checked(fileSchema, JSON.parse(text));
    return sweep;
  } catch (error) {
    throw new Error(`It is no ${SWEEP_FILE} that npx rl-playground sweep wrote: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** A record of a run from elsewhere. @throws Error naming the first field that does not fit. */
export function readSweepRecord(json: unknown): SweepRecord {
  return checked(recordSchema, json);
}
