/** Every message between a sweep and the machines that make its runs. What comes is checked here, before anything is made of it. */
import { z } from 'zod';
import { runConfigSchema } from '../config/check.ts';
import type { RunConfig } from '../config/schema.ts';
import { sealed, type KeyPair } from './frames.ts';
import { count, objectSchema, publicKey, readSigned, shortText } from './messages.ts';

const announcementSchema = z.object({
  kind: z.literal('sweep'),
  sweep: publicKey,
  name: shortText,
  runs: count,
  /** Numbers of runs that have ended: nobody needs them any more. */
  done: z.array(count),
});
export type SweepAnnouncement = z.infer<typeof announcementSchema>;

const orderSchema = z.object({ kind: z.literal('sweep ended'), sweep: publicKey });
export type SweepOrder = z.infer<typeof orderSchema>;

const runSchema = z.object({
  kind: z.literal('make'),
  sweep: publicKey,
  /** Counts the runs of the sweep. */
  run: count,
  /** Of its folder. */
  name: shortText,
  config: runConfigSchema,
});
export interface AskedRun extends Omit<z.infer<typeof runSchema>, 'kind' | 'config'> {
  readonly config: RunConfig;
}

const resultSchema = z.object({
  kind: z.literal('made'),
  sweep: publicKey,
  machine: publicKey,
  /** As it is shown. */
  machineName: shortText,
  computation: shortText,
  run: count,
  /** A zip of the run directory; null where the run failed. */
  files: objectSchema.nullable(),
  /** Why it failed. */
  error: z.string().max(2000).nullable(),
});
export type RunResult = Omit<z.infer<typeof resultSchema>, 'kind'>;

export const writeSweepAnnouncement = (key: KeyPair, message: Omit<SweepAnnouncement, 'kind'>): Uint8Array =>
  sealed(key, { ...message, kind: 'sweep' });
export const readSweepAnnouncement = (frame: Uint8Array): Promise<SweepAnnouncement | null> =>
  readSigned(frame, announcementSchema, ({ sweep }) => sweep);

export const writeSweepOrder = (key: KeyPair, message: SweepOrder): Uint8Array => sealed(key, message);
export const readSweepOrder = (frame: Uint8Array): Promise<SweepOrder | null> =>
  readSigned(frame, orderSchema, ({ sweep }) => sweep);

export const writeAskedRun = (key: KeyPair, message: AskedRun): Uint8Array =>
  sealed(key, { ...message, kind: 'make' });
/** Null where it is none of this sweep's. */
export async function readAskedRun(frame: Uint8Array, sweep: string): Promise<AskedRun | null> {
  const message = await readSigned(frame, runSchema, (asked) => asked.sweep);
  if (message === null || message.sweep !== sweep) return null;
  const { kind: _, ...asked } = message;
  return asked;
}

export const writeRunResult = (key: KeyPair, message: RunResult): Uint8Array =>
  sealed(key, { ...message, kind: 'made' });
/** Null where it is none of this sweep's, or not signed by its machine. */
export async function readRunResult(frame: Uint8Array, sweep: string): Promise<RunResult | null> {
  const message = await readSigned(frame, resultSchema, ({ machine }) => machine);
  if (message === null || message.sweep !== sweep) return null;
  const { kind: _, ...result } = message;
  return result;
}
