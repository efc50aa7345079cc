import * as z from 'zod';

/** A person's words about a run, and the group in which the page shows it. */
export const labelSchema = z
  .object({
    run: z.string(),
    /** The person's name for the run. If it is missing, the page makes one from the run's id. */
    name: z.string().optional(),
    note: z.string().optional(),
    /** Runs that differ only in their seed share a group. */
    group: z.string().optional(),
    /** The run and the step that this run was forked from. */
    parent: z.object({ run: z.string(), step: z.number() }).optional(),
    /** The time of deletion, in milliseconds since 1970. The files are removed when the page is next opened. */
    deleted: z.number().optional(),
  })
  .readonly();

export type RunLabel = z.infer<typeof labelSchema>;
