/** The data of a task of the user's own, as it is kept, exported, imported and written into checkpoints. */
import * as z from 'zod';

/** The longest question or answer, in UTF-16 units. */
export const MOST_TEXT = 20_000;
export const MOST_ROWS = 1_000_000;
/** The most turns before a question. */
export const MOST_TURNS = 100;
/** The longest program, in UTF-16 units. */
const MOST_SOURCE = 100_000;

const NAME = /^[A-Za-z0-9][A-Za-z0-9 _.-]{0,47}$/;

const customRow = z.object({
  question: z.string().min(1).max(MOST_TEXT),
  answer: z.string().min(1).max(MOST_TEXT),
  /** This replaces the task's system prompt. */
  system: z.string().max(MOST_TEXT).optional(),
  /** The turns before the question, which are asked along. */
  earlier: z
    .array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string().max(MOST_TEXT) }))
    .max(MOST_TURNS)
    .optional(),
  /** The row belongs to the source's own test part. If no row does, a hash of the question holds out one in five. */
  test: z.literal(true).optional(),
});

/** The place that rows came from, as runs and checkpoints record it. */
export const dataOriginSchema = z.object({
  /** `hub:org/name[@revision][:path]`, or the names of files. */
  source: z.string(),
  /** The commit on the Hub; null for files. */
  commit: z.string().nullable(),
  /** The hash of the rows as JSON, in hexadecimal. */
  sha256: z.string(),
});

const TEXT_OPTIONS = { ignoreCase: z.boolean(), ignoreSpace: z.boolean() };
const tolerance = z.number().min(0).max(1e300);

export const graderSettings = z.discriminatedUnion('kind', [
  /** The whole completion is the answer. */
  z.object({ kind: z.literal('exact'), ...TEXT_OPTIONS }),
  /** The number between `<answer>` tags, in the last box, or else the last number of the completion. */
  z.object({
    kind: z.literal('number'),
    absolute: tolerance,
    relative: tolerance,
    /** `50%` is 0.5; otherwise the sign is passed over. */
    percent: z.boolean(),
  }),
  /** The last `\boxed{…}`, compared exactly, as mathematics. */
  z.object({ kind: z.literal('boxed') }),
  /** The answer is one of the first `choices` letters of the alphabet. */
  z.object({ kind: z.literal('multiple_choice'), choices: z.int().min(2).max(26) }),
  /**
   * The first match of `pattern`, or of its first group, is the answer. If `pattern` is empty, each row's answer is a pattern that the
   * completion must match.
   */
  z.object({
    kind: z.literal('regex'),
    pattern: z.string().max(1000),
    /** The form of a right answer; `{answer}` stands for the row's answer. */
    form: z.string().max(MOST_TEXT),
    ...TEXT_OPTIONS,
  }),
  /** The text between `<answer>` and `</answer>`, or another spelling of the same decimal number. */
  z.object({ kind: z.literal('answer_tag'), ...TEXT_OPTIONS }),
  /** `score(problem, completion)`, in TypeScript or JavaScript. */
  z.object({
    kind: z.literal('code'),
    source: z.string().min(1).max(MOST_SOURCE),
    form: z.string().max(MOST_TEXT),
    /** An answer for which the program fails counts neither in its group nor in the update; otherwise it earns 0. */
    leaveOutFailures: z.boolean().default(false),
  }),
]);

/** The rows of a custom task. Nobody may change them, because results about them are remembered by the identity of the list. */
export const customRowsSchema = z.array(customRow).max(MOST_ROWS).readonly();

export const customTaskSchema = z.object({
  name: z
    .string()
    .regex(
      NAME,
      'A name needs 1 to 48 letters, digits, spaces, dots, dashes or underscores, the first a letter or a digit.',
    ),
  rows: customRowsSchema,
  grader: graderSettings,
  /** The system prompt; empty for none. */
  system: z.string().max(MOST_TEXT),
  origin: dataOriginSchema.optional(),
});

/** A task without its rows. */
export const customHeadSchema = customTaskSchema.omit({ rows: true });

export type CustomRow = z.infer<typeof customRow>;
export type DataOrigin = z.infer<typeof dataOriginSchema>;
export type GraderSettings = z.infer<typeof graderSettings>;
export type GraderKind = GraderSettings['kind'];
export type SettingsOf<Kind extends GraderKind> = Extract<GraderSettings, { kind: Kind }>;
export type CustomTask = z.infer<typeof customTaskSchema>;

const TAG_PROMPT =
  'Work the problem out in small steps. Then write the final answer once, between <answer> and </answer>.';

/** The system prompt of each grader, until the user writes another. */
export const SYSTEM_PROMPTS: Readonly<Record<GraderKind, string>> = {
  answer_tag: TAG_PROMPT,
  number: TAG_PROMPT,
  multiple_choice:
    'Think it over in small steps. Then write the letter of your choice once, between <answer> and </answer>.',
  boxed: 'Work the problem out in small steps. Then write the final answer once, in \\boxed{}.',
  exact: 'Write the answer and nothing else.',
  regex: 'Work the problem out in small steps. Then end with a line that says Answer: and the answer.',
  code: '',
};

/** The first settings of each grader. */
export const GRADER_DEFAULTS: { readonly [Kind in GraderKind]: SettingsOf<Kind> } = {
  exact: { kind: 'exact', ignoreCase: false, ignoreSpace: true },
  number: { kind: 'number', absolute: 0, relative: 0, percent: false },
  boxed: { kind: 'boxed' },
  multiple_choice: { kind: 'multiple_choice', choices: 4 },
  regex: {
    kind: 'regex',
    pattern: 'Answer: (.+)',
    form: 'Answer: {answer}',
    ignoreCase: false,
    ignoreSpace: true,
  },
  answer_tag: { kind: 'answer_tag', ignoreCase: false, ignoreSpace: true },
  code: { kind: 'code', source: '', form: '{answer}', leaveOutFailures: false },
};
