/** The columns that questions and answers are made of: told by their usual names, or named by a person. */
import { choicesOf, conversationOf, textOf } from './cells.ts';
import { optionLabel, usualColumns, type UsualKind } from './usualNames.ts';
import type { Table } from './readTable.ts';

export interface Columns {
  readonly question: number;
  readonly answer: number;
  /** The column of system prompts, which replace the task's; absent if the rows have none. */
  readonly system?: number;
  /** A column of text above the question, such as a passage. */
  readonly context?: number;
  /** A column of text below the question, such as Alpaca's `input`. */
  readonly input?: number;
  /** The column with the list of choices, or several with one choice each. */
  readonly choices?: readonly number[];
}

/** Names of columns, as a person gave them; those that are absent are told by their usual names. */
export type ColumnNames = { readonly [Kind in (typeof KINDS)[number]]?: string };

const KINDS = ['question', 'answer', 'system', 'context', 'input', 'choices'] as const;

/** The part of a table by which columns are told; without records, the names alone decide. */
export type Columned = Pick<Table, 'columns'> & Partial<Pick<Table, 'records'>>;

/** The number of records that are looked at before a column is taken for what its name says. */
const LOOKED_AT = 20;

/** Reads `question=problem,answer=solution,system=instructions`, any of them. @throws Error that shows the form. */
export function parseColumnNames(text: string): ColumnNames {
  const names: Partial<Record<(typeof KINDS)[number], string>> = {};
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const [key, name] = [part.slice(0, Math.max(0, at)).trim(), part.slice(at + 1).trim()];
    const kind = KINDS.find((each) => each === key);
    if (kind === undefined || name === '')
      throw new Error(
        `"${part}" names no column. Write question=COLUMN,answer=COLUMN, with context=, input= or choices=COLUMN where a question has more parts, and system=COLUMN where rows bring their own system prompt.`,
      );
    names[kind] = name;
  }
  return names;
}

/** True for a value that a question can be, or a conversation that ends in one. */
const isAsked = (value: unknown): boolean => textOf(value) !== null || conversationOf(value) !== null;

/** The values that a column must have, in some record, to be taken for what its name says. */
const FITS: Readonly<Record<UsualKind, (value: unknown) => boolean>> = {
  question: isAsked,
  answer: (value) => isAsked(value) || Array.isArray(value),
  context: (value) => textOf(value) !== null,
  choices: (value) => choicesOf(value) !== null,
};

/** The likeliest column for a kind: one of a usual name that has such values, or null. */
function guessed({ columns, records = [] }: Columned, kind: UsualKind): number | null {
  const named = usualColumns(columns, kind);
  const sample = records.slice(0, LOOKED_AT);
  const fitting = named.find((column) => sample.some((record) => FITS[kind](record.value(column))));
  return (
    fitting ?? (sample.length === 0 || kind === 'question' || kind === 'answer' ? named[0] : null) ?? null
  );
}

/** The other columns that belong to a question, by their usual names. */
function partsOfQuestion(table: Columned, question: number): Omit<Columns, 'question' | 'answer'> {
  const { columns } = table;
  const isInstruction = columns[question]?.trim().toLowerCase() === 'instruction';
  const input = isInstruction ? columns.findIndex((name) => name.trim().toLowerCase() === 'input') : -1;
  const context = guessed(table, 'context');
  const list = guessed(table, 'choices');
  const options = columns.flatMap((name, index) => (optionLabel(name) === null ? [] : [index]));
  const choices = list !== null ? [list] : options.length > 1 ? options : null;
  return {
    ...(input >= 0 && { input }),
    ...(context !== null && { context }),
    ...(choices !== null && { choices }),
  };
}

/** The columns by their usual names, or null if the user has to choose; `columnsError` says so. */
export function guessColumns(table: Columned): Columns | null {
  const question = guessed(table, 'question');
  if (question === null) return null;
  // A conversation has its answer at its end.
  const conversation = /^(messages|conversations)$/i.test(table.columns[question]?.trim() ?? '');
  const answer = guessed(table, 'answer') ?? (conversation ? question : null);
  return answer === null ? null : { question, answer, ...partsOfQuestion(table, question) };
}

/** The columns of those names. @throws Error that lists the columns there are. */
export function columnsOf(table: Columned, names: ColumnNames): Columns {
  const { columns } = table;
  const named = (kind: keyof ColumnNames): number | null => {
    const name = names[kind];
    if (name === undefined) return null;
    const index = columns.indexOf(name);
    if (index >= 0) return index;
    const found = columns.map((each) => JSON.stringify(each.slice(0, 40))).slice(0, 30);
    throw new Error(`There is no column "${name}" for the ${kind}. The columns are ${found.join(', ')}.`);
  };
  const [system, context, input, choices] = (['system', 'context', 'input', 'choices'] as const).map(named);
  const told = named('question');
  const question = told ?? guessed(table, 'question');
  const answer = named('answer') ?? (told === null ? guessColumns(table)?.answer : guessed(table, 'answer'));
  if (question === null || answer == null) throw new Error(columnsError(columns));
  return {
    question,
    answer,
    // A person who names the question names all of it.
    ...(told === null && partsOfQuestion(table, question)),
    ...(typeof system === 'number' && { system }),
    ...(typeof context === 'number' && { context }),
    ...(typeof input === 'number' && { input }),
    ...(typeof choices === 'number' && { choices: [choices] }),
  };
}

/** All columns that are used. */
export function usedColumns({ choices = [], ...single }: Columns): readonly number[] {
  return [...new Set([...Object.values(single), ...choices])];
}

export function columnsError(columns: readonly string[]): string {
  const found = columns
    .slice(0, 12)
    .map((name) => JSON.stringify(name.slice(0, 40)))
    .join(', ');
  const count = columns.length === 1 ? '1 column was' : `${columns.length} columns were`;
  const next =
    columns.length < 2
      ? 'Two are needed, one named question and one named answer: add a header row with these names.'
      : 'Which holds the question and which the answer can’t be told by name: choose them, or name them question and answer.';
  return `${count} found${found === '' ? '' : ` (${found})`}. ${next}`;
}
