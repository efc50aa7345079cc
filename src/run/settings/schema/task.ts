/** The tasks of a run, and their difficulty. */
import * as z from 'zod';
import { choice, count, quantity, quoted } from '@rl-playground/base/valueSchemas';
import { fieldOf, line } from './fields.ts';

const taskValue = z.union([z.number(), z.boolean(), z.string(), z.array(z.string()), z.array(z.number())], {
  error: ({ input }) =>
    `${quoted(input)} is no value of a task's setting; write a number, true, false, a text, or a list of numbers or texts.`,
});

/** Values by field name. The rules, which know the task, check the fields' own bounds. */
const taskConfigSchema = z.record(z.string(), taskValue, {
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

/** Most tasks of a mixture. */
export const MOST_PARTS = 20;

export const mixtureSchema = z
  .array(part, {
    error: ({ input }) =>
      `${quoted(input)} is no mixture; write it as [{"task": name, "weight": above 0, "config": {}}, …].`,
  })
  .max(MOST_PARTS, {
    error: ({ input }) => `${quoted(input)} has too many parts; choose at most ${MOST_PARTS}.`,
  });

const field = fieldOf('Task');
const curriculumField = fieldOf('Curriculum');

export const TASK_SETTINGS = {
  task: field(line(120), {
    label: 'Task',
    help: 'What the model is asked, and how its answer is scored.',
    default: 'sum_digits',
  }),
  taskConfig: field(taskConfigSchema, {
    label: 'Task settings',
    help: "What differs from the task's own defaults: ranges, difficulty, weights of its reward.",
    default: {},
  }),
  mixture: field(mixtureSchema, {
    label: 'Mixture',
    help: 'Under the task "mixture": the tasks that problems come from, each with a weight and settings of its own.',
    default: [],
  }),
  scoring: field(choice(['strict', 'upstream']), {
    label: 'Scoring',
    help: 'Strict gives no credit for tricks. Upstream scores exactly as the system that the task comes from, including its loopholes and rounded long numbers, for comparison.',
    default: 'strict',
    choices: { strict: 'Strict', upstream: 'As upstream' },
  }),
  curriculum: curriculumField(choice(['off', 'success']), {
    label: 'Curriculum',
    help: 'Whether the difficulty follows success: one level up when most answers are right, one down when few are.',
    default: 'off',
    choices: { off: 'Off: the settings stay', success: 'By success rate' },
  }),
  curriculumStart: curriculumField(count(1, 20), {
    label: 'First level',
    help: 'The level of difficulty that a curriculum starts at; 1 is the easiest.',
    default: 1,
  }),
  curriculumRaise: curriculumField(quantity(0, 1), {
    label: 'Harder above',
    help: 'Share of right answers at which the next level begins.',
    default: 0.7,
  }),
  curriculumLower: curriculumField(quantity(0, 1), {
    label: 'Easier below',
    help: 'Share of right answers below which the previous level returns.',
    default: 0.3,
  }),
  curriculumReview: curriculumField(quantity(0, 1), {
    label: 'Easier problems between',
    help: 'Share of the problems that come from the levels below the current one, so that they are not forgotten.',
    default: 0,
  }),
  curriculumWindow: curriculumField(count(1, 100_000), {
    label: 'Answers looked at',
    help: 'Number of the newest answers of a level that the share is computed from; the level does not change before there are that many.',
    default: 512,
  }),
  curriculumEvery: curriculumField(count(1, 10_000), {
    label: 'Level check every',
    help: 'Steps between two checks of the share.',
    default: 5,
  }),
} as const;
