/** A custom task while it is being made. */
import { messageOf } from '@rl-playground/base/errors';
import {
  GRADER_DEFAULTS,
  SYSTEM_PROMPTS,
  type GraderSettings,
  type CustomRow,
  type CustomTask,
  type DataOrigin,
  columnsError,
  guessColumns,
  readRows,
  type Columns,
  readTable,
  type BadLine,
  type Task,
  type Table,
} from '@rl-playground/tasks/parts';
import {
  parseDatasetAddress,
  readSource,
  sourceOfFiles,
  sourceOnHub,
  type DataProgress,
  type DataSource,
} from '@rl-playground/bridges/dataset';
import { openBlob } from '@rl-playground/engine/parts';
import { hubSettings, mayAskHub } from '../../run/model/hubStore.ts';
import { scoredByProgram } from '../calculator/useReward.ts';

/** The source of the rows; null: they were pasted. */
type RowsFrom = Pick<DataOrigin, 'source' | 'commit'> | null;

interface DraftTable extends Table {
  readonly from: RowsFrom;
}

export interface Draft {
  readonly name: string;
  /** The table that was read; null: the rows come from a kept task. */
  readonly table: DraftTable | null;
  readonly columns: Columns | null;
  readonly rows: readonly CustomRow[];
  readonly from: RowsFrom;
  /** Lines of the table that gave no row. */
  readonly bad: readonly BadLine[];
  /** The sentences that say which columns were taken for what; empty if the rows come from a kept task. */
  readonly taken: string;
  /** The largest number of choices that a question has; 0 if the questions have none. */
  readonly choices: number;
  /** The reason why the last rows were not taken. The rows before them stay. */
  readonly error: string | null;
  readonly grader: GraderSettings;
  readonly system: string;
}

export const PROGRAM_TEMPLATE = `interface Problem { question: string; answer: string; index: number; split: 'train' | 'eval' }
interface Completion { text: string; tokens: number[]; stopReason: string }

export function score(problem: Problem, completion: Completion) {
  const right = completion.text.includes(problem.answer);
  const brief = completion.text.length <= 200;
  console.log({ right, brief });
  return { parts: { right: right ? 1 : 0, brief: brief ? 0.2 : 0 }, correct: right };
}
`;

export const EMPTY_DRAFT: Draft = {
  name: '',
  table: null,
  columns: null,
  rows: [],
  from: null,
  bad: [],
  taken: '',
  choices: 0,
  error: null,
  grader: GRADER_DEFAULTS.answer_tag,
  system: SYSTEM_PROMPTS.answer_tag,
};

export function draftOf({ name, rows, grader, system, origin }: CustomTask): Draft {
  return { ...EMPTY_DRAFT, name, rows, grader, system, from: origin ?? null };
}

/** Makes a task's name of a file's: `Capitals (v2).csv` becomes `Capitals v2`. */
function nameOfFile(file: string): string {
  return file
    .replace(/\.(jsonl|ndjson|json|csv|tsv|txt|parquet)$/i, '')
    .replaceAll(/[^A-Za-z0-9 _.-]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[^A-Za-z0-9]+/, '')
    .trim()
    .slice(0, 48);
}

/** The grader of rows with so many choices. One that a person chose stays, but for the number of its letters. */
function graderFor(
  { grader, system, choices: before }: Draft,
  choices: number,
): Pick<Draft, 'grader' | 'system'> {
  if (choices > 0 && grader.kind === 'multiple_choice') return { grader: { ...grader, choices }, system };
  const [from, to] =
    choices > 0 ? (['answer_tag', 'multiple_choice'] as const) : ([grader.kind, 'answer_tag'] as const);
  const changes = choices > 0 || (before > 0 && grader.kind === 'multiple_choice');
  if (!changes || grader.kind !== from || system !== SYSTEM_PROMPTS[from]) return { grader, system };
  const start = GRADER_DEFAULTS[to];
  return {
    grader: start.kind === 'multiple_choice' ? { ...start, choices } : start,
    system: SYSTEM_PROMPTS[to],
  };
}

/** The draft with the rows of these columns. A column that is the question or the answer is no other part of the question. */
export function withColumns(draft: Draft, table: DraftTable, chosen: Columns): Draft {
  const { question, answer, context, input, choices: options, ...others } = chosen;
  const isOther = (column: number): boolean => column !== question && column !== answer;
  const columns: Columns = {
    question,
    answer,
    ...(context !== undefined && isOther(context) && { context }),
    ...(input !== undefined && isOther(input) && { input }),
    ...(options?.every(isOther) === true && { choices: options }),
    ...others,
  };
  try {
    const { rows, bad, choices, ...said } = readRows(table, columns);
    const taken = `${said.taken} ${said.along}`.trim();
    if (rows.length === 0) {
      const first = bad[0];
      const why = first === undefined ? 'it has only a header' : `line ${first.line} ${first.message}`;
      throw new Error(`No row could be read: ${why}.`);
    }
    const read = { table, columns, rows, from: table.from, bad, taken, choices, error: null };
    return { ...draft, ...read, ...graderFor(draft, choices) };
  } catch (error) {
    return { ...draft, table, columns, error: messageOf(error) };
  }
}

/** The draft with the rows of a pasted text. If no row can be read, the draft keeps its rows and names the error. */
export function withText(draft: Draft, text: string): Draft {
  try {
    return withTable(draft, { ...readTable(text), from: null }, null);
  } catch (error) {
    return { ...draft, error: messageOf(error) };
  }
}

/** The draft with the rows of a table. If the columns can't be guessed, the person chooses them. */
function withTable(draft: Draft, table: DraftTable, name: string | null): Draft {
  const named = {
    ...draft,
    name: draft.name === '' && name !== null ? nameOfFile(name) : draft.name,
  };
  const columns = guessColumns(table);
  if (columns !== null) return withColumns(named, table, columns);
  const choosable = table.columns.length >= 2;
  return { ...named, ...(choosable ? { table, columns: null } : {}), error: columnsError(table.columns) };
}

export function definitionOfDraft({ name, rows, grader, system }: Draft): CustomTask {
  return { name: name.trim(), rows, grader, system };
}

/** The error of a program on the worked answer to the task's first problem; null where it scores that, and for other graders. */
export async function programFailure(
  { grader }: CustomTask,
  task: Task,
  seed: number,
): Promise<string | null> {
  if (grader.kind !== 'code') return null;
  const problem = task.generate(seed, 'train', 0, task.defaults);
  const completion = { text: task.workedAnswer(problem), tokens: [], stopReason: 'eos' } as const;
  const { error } = await scoredByProgram(grader.source, { problem, completion });
  return error;
}

type Change = (draft: Draft) => Draft;

async function withSource(source: DataSource, name: string): Promise<Change> {
  const table = { ...(await readSource(source, null)), from: source };
  return (draft) => withTable(draft, table, name);
}

export async function withFiles(files: readonly File[]): Promise<Change> {
  const [first] = files;
  try {
    const source = sourceOfFiles(files.map((file) => ({ name: file.name, file: openBlob(file) })));
    return await withSource(source, first?.name ?? '');
  } catch (error) {
    return (draft) => ({ ...draft, error: messageOf(error) });
  }
}

/** Reads the rows of a dataset, named as `org/name[@revision][:path]`. */
export async function withDataset(
  name: string,
  options: { readonly signal: AbortSignal; readonly onProgress: (progress: DataProgress) => void },
): Promise<Change> {
  try {
    const address = parseDatasetAddress(name);
    if (address === null)
      throw new Error(`"${name}" names no dataset. Write org/name, org/name@revision or org/name:folder.`);
    await mayAskHub();
    const source = await sourceOnHub(address, { ...hubSettings(), ...options });
    return await withSource(source, address.repo.split('/').at(-1) ?? '');
  } catch (error) {
    const reason = options.signal.aborted
      ? 'Loading was cancelled. The rows are unchanged.'
      : messageOf(error);
    return (draft) => ({ ...draft, error: reason });
  }
}
