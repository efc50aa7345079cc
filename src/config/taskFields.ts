/** Settings that are structures: a task's own settings, and a mixture of tasks. */
import * as z from 'zod';
import { quoted } from './fields.ts';

const taskValue = z.union([z.number(), z.boolean(), z.string(), z.array(z.string()), z.array(z.number())], {
  error: ({ input }) =>
    `${quoted(input)} is no value of a task's setting; write a number, true, false, a text, or a list of numbers or texts.`,
});

/** By field name; the fields' own bounds are checked by the rules, which know the task. */
export const taskConfigSchema = z.record(z.string(), taskValue, {
  error: ({ input }) => `${quoted(input)} is no set of task settings; write it as {"name": value, …}.`,
});

const noWeight = ({ input }: z.core.$ZodRawIssue): string =>
  input === undefined
    ? 'is missing; it needs a number above 0.'
    : `${quoted(input)} is no weight; choose a number above 0.`;

const part = z.strictObject({
  task: z.string({
    error: ({ input }) =>
      input === undefined
        ? 'is missing; it needs the name of a task.'
        : `${quoted(input)} is no name of a task.`,
  }),
  /** Relative to the other parts'. */
  weight: z.number({ error: noWeight }).positive({ error: noWeight }),
  /** The task's own where it is left out. */
  config: taskConfigSchema.default({}),
});
export type MixturePart = Readonly<z.output<typeof part>>;

const MOST_PARTS = 20;

export const mixtureSchema = z
  .array(part, {
    error: ({ input }) =>
      `${quoted(input)} is no mixture; write it as [{"task": name, "weight": above 0, "config": {}}, …].`,
  })
  .max(MOST_PARTS, {
    error: ({ input }) => `${quoted(input)} has too many parts; choose at most ${MOST_PARTS}.`,
  });
