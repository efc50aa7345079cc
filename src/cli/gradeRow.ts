/** One row of `npx rl-playground grade`: a question and the answer to it. */
import * as z from 'zod';
import { messageOf } from '@rl-playground/base/errors';
import { exactJson, isJsonObject, parsedJson } from '@rl-playground/base/json';
import {
  extractAnswer,
  GYM_TASKS,
  ALIASES,
  findTask,
  GRADER_DEFAULTS,
  type GraderKind,
  gradeText,
  gradeMath,
  scoreDigits,
  scoreCleanDigits,
  type Reward,
} from '@rl-playground/tasks/parts';

/** A row that can't be graded. */
class RowError extends Error {
  override readonly name = 'RowError';
}

export interface GradedRow {
  readonly output: Readonly<Record<string, unknown>>;
  /** True if the row can't be graded because of its form. An unknown task does not count. */
  readonly malformed: boolean;
}

const gymTasks = new Map(GYM_TASKS.map((task) => [task.name, task]));

const rowShape = z.looseObject({
  task: z.string().optional(),
  fn: z.string().optional(),
  grader: z.string().optional(),
});
const graderShape = z.object({
  grader: z.enum(Object.keys(GRADER_DEFAULTS) as GraderKind[]).exclude(['code']),
  settings: z.record(z.string(), z.unknown()).default({}),
  answer: z.union([z.string(), z.number()]),
  text: z.string(),
});
const gymShape = z.object({
  entry: z.object({
    question: z.string().default(''),
    answer: z.string().nullable(),
    metadata: z.unknown(),
  }),
  candidate: z.string().nullable(),
});
const textShape = z.object({ text: z.string() });
const extractShape = z.object({
  input: z.string(),
  kwargs: z.strictObject({ tag_name: z.string().optional(), strip: z.boolean().optional() }).default({}),
});
/** The names of a completion's end: ours and the usual ones. */
const ENDINGS = ['stop', 'stop_sequence', 'eos', 'max_tokens', 'length', 'malformed', 'error'] as const;
const gsm8kShape = z.object({
  text: z.string(),
  gold: z.union([z.string(), z.number()]),
  stop_reason: z.enum(ENDINGS).nullish(),
});

function read<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  throw new RowError(
    result.error.issues.map(({ path, message }) => `${path.join('.') || 'row'}: ${message}`).join('; '),
  );
}

function parse(line: string): z.output<typeof rowShape> {
  const json = parsedJson(line);
  if ('error' in json) throw new RowError(`not JSON: ${json.error}`);
  return read(rowShape, json.value);
}

/** The text of a row's number, as the line has it. */
function numberText(line: string, key: string, value: number): string {
  const json = exactJson(line);
  return 'value' in json && isJsonObject(json.value) ? String(json.value[key]) : String(value);
}

/** A row's integer as canonical decimal text, however long. */
function integerField(line: string, row: Readonly<Record<string, unknown>>, key: string): string {
  const value = row[key];
  const text = typeof value === 'number' ? numberText(line, key, value) : value;
  const [, sign = '', digits] = (typeof text === 'string' && /^\s*([+-]?)0*([0-9]+)\s*$/.exec(text)) || [];
  if (digits !== undefined) return sign === '-' && digits !== '0' ? `-${digits}` : digits;
  if (typeof value === 'number' && Number.isInteger(value)) return `${BigInt(value)}`;
  throw new RowError(`${key}: an integer is needed, as a number or a string.`);
}

function gradeGym(name: string, row: unknown): GradedRow['output'] {
  const { entry, candidate } = read(gymShape, row);
  try {
    const score = gymTasks.get(name)?.grade(entry, candidate, 'upstream') ?? NaN;
    if (Number.isFinite(score)) return { score };
    return { score: null, error: `the score is ${score}, which JSON has no number for` };
  } catch (error) {
    if (error instanceof z.ZodError)
      throw new RowError(
        `entry.metadata can't be read: ${error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
      );
    return { score: null, error: messageOf(error) };
  }
}

function gradeDigits(
  line: string,
  row: Readonly<Record<string, unknown>>,
  score: (truth: string, text: string) => Reward,
): GradedRow['output'] {
  const { text } = read(textShape, row);
  const { extracted, matchedBy, correct, format, total } = score(integerField(line, row, 'expected'), text);
  return { extracted, matchedBy, correct, format, reward: total };
}

/** Grades a row of GSM8K. Only a stop string or an end-of-turn token earns the format, as with the Tinker cookbook's settings. */
function gradeGsm8k(line: string, row: Readonly<Record<string, unknown>>): GradedRow['output'] {
  const { text, gold, stop_reason: ending } = read(gsm8kShape, row);
  const golden = typeof gold === 'string' ? gold : numberText(line, 'gold', gold);
  const ended = ending == null || ending === 'stop' || ending === 'stop_sequence';
  const endingFault = ended ? null : 'cut before its end';
  const { extracted, format, correct, total } = gradeMath(text, golden, {
    endingFault,
    formatWeight: 0.1,
    mode: 'upstream',
  });
  return { extracted, format, correct, reward: total };
}

/** Grades a text by a grader for rows of one's own, or says why its gold or its settings are refused. */
function gradeOwn(line: string, row: unknown): GradedRow['output'] {
  const { grader, settings, answer, text } = read(graderShape, row);
  const golden = typeof answer === 'string' ? answer : numberText(line, 'answer', answer);
  const unknown = Object.keys(settings).find((name) => !Object.hasOwn(GRADER_DEFAULTS[grader], name));
  if (unknown !== undefined) throw new RowError(`settings.${unknown}: ${grader} has no such setting.`);
  const graded = gradeText({ ...GRADER_DEFAULTS[grader], ...settings, kind: grader }, golden, text);
  if ('refused' in graded) return graded;
  const { correct, extracted, total } = graded;
  return { correct, extracted, total };
}

function grade(line: string): GradedRow['output'] {
  const row = parse(line);
  if (row.grader !== undefined) return gradeOwn(line, row);
  if (row.fn !== undefined) {
    if (row.fn !== 'extract_answer') throw new RowError(`unknown function: ${row.fn}`);
    const { input, kwargs } = read(extractShape, row);
    return { output: extractAnswer(input, kwargs.tag_name, kwargs.strip) };
  }
  if (row.task === undefined) throw new RowError('task: a name is needed, or grader, or fn.');
  const name = (Object.hasOwn(ALIASES, row.task) ? ALIASES[row.task] : undefined) ?? row.task;
  if (gymTasks.has(name)) return gradeGym(name, row);
  if (name === 'sum_digits' || name === 'reverse_digits')
    return gradeDigits(line, row, (truth, text) => scoreDigits(truth, text, 'tag_required'));
  if (name === 'sum_digits_titan')
    return gradeDigits(line, row, (truth, text) => scoreCleanDigits(truth, text, 0.2));
  if (name === 'gsm8k') return gradeGsm8k(line, row);
  if (findTask(name) === null) return { error: `unknown task: ${row.task}` };
  throw new RowError(`${name} has no kind of row that can be graded here.`);
}

/** Grades one line of JSON, in `upstream` mode. It never throws, whatever the line holds. */
export function gradeRow(line: string): GradedRow {
  try {
    return { output: grade(line), malformed: false };
  } catch (error) {
    if (error instanceof RowError) return { output: { error: error.message }, malformed: true };
    throw error;
  }
}
