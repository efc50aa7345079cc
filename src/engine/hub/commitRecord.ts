/**
 * `commit.json` of a checkpoint that is kept as files: the size and SHA-256 of each of them. It is written when they are all there. So a
 * folder without it is no checkpoint, and one that does not agree with it is damaged.
 */
import * as z from 'zod';
import { checked, jsonText } from '@rl-playground/base/json';

/** The name of the record. The one that a browser keeps beside a checkpoint has the same name and holds more (`src/run/kept/keptRun.ts`). */
export const COMMIT_FILE = 'commit.json';

/** The format's number, which is raised whenever an older reader would misunderstand a record. */
const FORMAT = 1;

const fileSchema = z.object({
  bytes: z.number().int().nonnegative(),
  /** The hash in lower-case hexadecimal digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
const schema = z.object({ format_version: z.literal(FORMAT), files: z.record(z.string(), fileSchema) });

/** The record of one file. */
export type FileSum = z.infer<typeof fileSchema>;

/** The text of the record, with the files in the order of the map. */
export function commitText(files: ReadonlyMap<string, FileSum>): string {
  return jsonText({ format_version: FORMAT, files: Object.fromEntries(files) } satisfies z.input<
    typeof schema
  >);
}

/** The inverse of `commitText`. @throws Error naming what is wrong with the record. */
export function readCommit(text: string): Map<string, FileSum> {
  const { files } = checked(schema, JSON.parse(text));
  return new Map(Object.entries(files));
}
